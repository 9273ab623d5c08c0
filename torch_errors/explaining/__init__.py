"""From pasted text to its errors and the entries that answer them.

    explain.py     the way in: `explain(text) -> list[Match]`
    patterns.py    the wordings that the catalog knows, ready to be searched for
    decode.py      what the numbers of a message mean
    guess.py       the entries nearest to an error that no pattern knows, by shared words
    compiled.py    what `explain` reads: the catalog compiled into one file
    answer.py      the answer for people, in the terminal
    note.py        a note on exceptions that the catalog knows, at the moment of failure

Nothing here imports torch, and `explain` imports nothing that is slow: it is used where things are broken.
"""
