"""The command `torch-errors`. Given a script, it runs the script and adds notes to uncaught exceptions.

python -m torch_errors explain error.txt
python -m torch_errors train.py --epochs 3
python -m torch_errors --watch train.py --epochs 3
"""

import sys
from pathlib import Path

from torch_errors.cli import entry_point

if __name__ == "__main__":
    first = sys.argv[1] if len(sys.argv) > 1 else ""
    if Path(first).suffix == ".py" or first.startswith(("--watch", "--check", "--stop-after")):
        from torch_errors.cli.script import script_point

        script_point()
    entry_point()
