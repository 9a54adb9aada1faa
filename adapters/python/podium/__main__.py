"""``python -m podium`` runs the program ``podium`` if it is installed; otherwise it prints what the package has."""

import os
import shutil
import sys

import podium

_SHOWN = ("Collection", "Aggregate", "Summary", "difference", "adjust", "plan", "compare", "explain")


def _show_help() -> None:
    print(f"podium {podium.__version__}, the Python package\n")
    print((podium.__doc__ or "").strip())
    print("\nIn the package:")
    for name in _SHOWN:
        sentence = (getattr(podium, name).__doc__ or "").partition("\n")[0].partition(". ")[0]
        print(f"  {name:12}{sentence.rstrip('.')}")
    print("\nhelp(podium.Collection) says more. The program podium, which has commands, is not installed.")


def main() -> int:
    program = shutil.which("podium")
    arguments = sys.argv[1:] or ["--help"]
    if program is not None:
        os.execv(program, [program, *arguments])
    if arguments == ["--version"]:
        print(f"podium {podium.__version__}")
    elif arguments[0] in ("--help", "-h", "help"):
        _show_help()
    else:
        print("podium: the program podium is not installed, and the Python package has no commands", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
