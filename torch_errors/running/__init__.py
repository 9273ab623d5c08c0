"""Running the catalog's scripts: fast, contained, and with the same result as by hand.

`Runner` is the way in. What happens behind it, from the outside in:

    runner.py      takes jobs, gives reports; forks from a process that has imported torch, or starts fresh interpreters
    zygote.py      the process that has imported torch once and forks a child for each job
    supervise.py   watches one running script: time, memory and output limits, and ends what it started
    script.py      runs inside the child: executes the file as `__main__` and writes down what happened
    report.py      the data classes that flow between them

`script.py` and `report.py` import only the standard library, since they share a process with the script.
"""
