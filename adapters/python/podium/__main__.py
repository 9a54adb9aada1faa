"""``python -m podium`` runs the program ``podium`` if it is installed; otherwise it prints what the package has."""

import os
import shutil
import sys

import podium


def main() -> int:
    program = shutil.which("podium")
    if program is not None:
        os.execv(program, [program, *(sys.argv[1:] or ["--help"])])
    print(f"podium {podium.__version__}, the Python package\n")
    print((podium.__doc__ or "").strip())
    print(f"\nIn the package: {', '.join(podium.__all__)}; help(podium.Collection) says more.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
