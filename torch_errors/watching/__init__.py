"""Watching a run: a program runs unchanged, and mistakes that raise no exception are reported.

    python -m torch_errors --watch train.py

    with torch_errors.watch():      # the same in code and notebooks
        train()

    watch.py       entry points: watch a script, a block of code, or this process
    check.py       looks at one batch before a training
    batch.py       repeats the calls that led to a loss, with other inputs, and restores everything
    session.py     one watched run: collects its findings and prints them
    in_sandbox.py  watches the catalog's scripts, for `verify`
    loading.py     loads the detectors from the entries
    course.py      records the numbers of a run, and report.py draws them
    observer.py    hooks modules and wraps functions of torch, and turns each call into an event
    post.py        messages between the ranks and workers of a run
    children.py    watches processes started by `torch.multiprocessing.spawn`
    detector.py    the events and the base class of detectors: the contract between the observer and the entries
    graph.py       reads the autograd graph of a loss before its backward pass
    padding.py     finds the padding in a batch of token ids

A detector lives in its entry's folder, `common-errors/CATEGORY/ID/watch.py`.
"""
