"""Running the catalog's scripts: fast, contained, and with the same result as by hand.

`Runner` is the entry point. The modules, from the outermost to the innermost:

    pool.py          takes jobs and returns reports; sends jobs to workers or starts fresh interpreters
    zygote.py        a process that has imported torch once and forks workers; a worker forks a child for each job
    supervise.py     watches one running script, enforces its limits, and ends the processes that it started
    sandbox.py       runs inside the child: executes the script, confined to its folder, and reports what happened
    as_main.py       runs a file in this process as `python SCRIPT` would
    report.py        the data classes that the other modules exchange
    recordings.py    the recorded output of a script
    versions.py      what verification found with each version of torch
    requirements.py  checks that the packages for running scripts are installed
    probe.py         a script that reports what this machine has, such as a GPU

On Linux there is one worker per core and stage. Stages are zygotes that are forked from each other, each with more
modules imported; a script runs in the first stage that has the modules it needs. A worker runs one script at a time and
adopts its orphaned processes, so all descendants of a worker belong to that script. A run costs one fork.

`sandbox.py`, `as_main.py` and `report.py` import only the standard library, since they share a process with the script.
"""
