"""Measures how long `torch-errors compare` takes for each entry, and writes what the site says of it.

    python -m tools.run_times                # every entry that this machine can run
    python -m tools.run_times dead-relu      # only these

Writes website/run_times.yaml after each entry. Run it with nothing beside it; it takes about five seconds an entry.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.loading import load_catalog
from torch_errors.running.pool import Runner
from website.run_times import FILE, ROOT, read, text

LONGEST = 600  # seconds for one entry


def seconds(entry: Entry) -> float:
    """Run both scripts of the entry and return the wall time in seconds. Exits if they don't end in ten minutes."""
    command = [sys.executable, "-m", "torch_errors", "compare", entry.id]
    before = time.perf_counter()
    try:
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        sys.exit(f"`torch-errors compare {entry.id}` did not end in {LONGEST} seconds")
    return time.perf_counter() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these entries (default: all)")
    options = parser.parse_args()
    catalog, times = load_catalog(ROOT), read()
    chosen = [catalog.entry(name) for name in options.ids] or list(catalog)
    with Runner() as runner:
        machine = runner.machine()
    for entry in chosen:
        if machine.lacks(entry.requires):
            continue
        times[entry.id] = seconds(entry)
        print(f"{times[entry.id]:6.1f} s  {entry.id}", flush=True)
        FILE.write_text(text({name: taken for name, taken in times.items() if name in catalog.by_id}), encoding="utf-8")


if __name__ == "__main__":
    main()
