"""Watching a run: a program runs unchanged, and the faults that it shows without an exception are named.

    python -m torch_errors --watch train.py

    with torch_errors.watch():      # the same in code and notebooks
        train()

    watch.py       start and end of watching, the findings, and what is printed of them
    observer.py    hooks and wrapped functions of torch that call the original: what happens becomes events
    post.py        what the ranks and workers of a run tell each other
    children.py    watching in spawned processes
    notebook.py    watching in IPython
    detector.py    the events and the base class of detectors: the contract between the observer and the entries
    compiling.py   the files of the detectors, compiled
    graph.py       what the autograd graph of a loss says before its backward pass

A detector lives in its entry's folder, `common-errors/CATEGORY/ID/watch.py`.
"""
