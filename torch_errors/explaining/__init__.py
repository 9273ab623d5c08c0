"""Find the errors in a pasted text and the catalog entries that explain them.

    explain.py     the entry point: `explain(text) -> list[Match]`
    patterns.py    the patterns of the catalog, and the search for them in a text
    decode.py      evaluates the expressions in the catalog's texts with the values of a message
    guess.py       for an error that no pattern matches: the entry that shares the most words with it
    compiled.py    the catalog compiled into one file, which `explain` reads
    answer.py      formats the answer for the terminal
    note.py        adds a note to an exception when it is raised
    live_values.py describes the tensors and layers in the failing line, for the note

Nothing here imports torch, and `explain` imports no slow module, because it must also work in broken installations.
"""
