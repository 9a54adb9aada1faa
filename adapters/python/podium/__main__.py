"""``python -m podium`` is the program ``podium``, which is compiled into the package; without arguments, its help."""

import os
import signal
import sys

from . import _core


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the program's own handler removes incomplete files
    return _core.program([os.fsencode(argument) for argument in ("podium", *(sys.argv[1:] or ["--help"]))])


if __name__ == "__main__":
    sys.exit(main())
