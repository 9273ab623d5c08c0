"""Running the catalog's scripts: fast, contained, and with the same result as by hand.

`Runner` is the way in. What happens behind it, from the outside in:

    pool.py        takes jobs, gives reports; sends them to workers, or starts fresh interpreters
    zygote.py      a process that has imported torch once and forks workers; a worker forks a child for each job
    supervise.py   watches one running script: time, memory and output limits, and ends what it started
    sandbox.py     runs inside the child: executes the script, confined to its folder, and reports what happened
    as_main.py     is `python SCRIPT`, in this process
    report.py      the data classes that flow between them
    recordings.py  the recorded output of a script
    versions.py    what verification found with each version of torch

On Linux there is one worker per core and stage. Stages are zygotes that are forked from each other, each with more
modules imported; a script runs in the first one that has what it needs. A worker runs one script at a time and adopts
its orphans, so whatever is below the worker belongs to that script. A run costs one fork.

`sandbox.py`, `as_main.py` and `report.py` import only the standard library, since they share a process with the script.
"""
