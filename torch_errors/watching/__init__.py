"""Watching a run: a program runs unchanged, and the faults that it shows without an exception are named.

    python -m torch_errors --watch train.py

    with torch_errors.watch():      # the same in code and notebooks
        train()

    watch.py       the ways in: watch a script, a block, or this process
    session.py     one watched run, its findings, and what is printed of them
    in_sandbox.py  watching of the catalog's scripts, for `verify`
    loading.py     detectors, read from the entries
    observer.py    hooks and wrapped functions of torch that call the original: what happens becomes events
    post.py        what the ranks and workers of a run tell each other
    children.py    watching in spawned processes
    detector.py    the events and the base class of detectors: the contract between the observer and the entries
    graph.py       what the autograd graph of a loss says before its backward pass

A detector lives in its entry's folder, `common-errors/CATEGORY/ID/watch.py`.
"""
