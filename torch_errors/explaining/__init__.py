"""From pasted text to its errors and the entries that answer them.

    explain.py     the way in: `explain(text) -> list[Match]`
    paste.py       what people paste, made comparable: colours, prefixes, boxes and line breaks taken away
    patterns.py    the wordings that the catalog knows, ready to be searched for
    decode.py      the small language in which the catalog says what the numbers of a message mean
    answer.py      the answer for people, in the terminal
    note.py        a note on exceptions that the catalog knows, at the moment of failure

Nothing here imports torch, and `explain` imports nothing that is slow: it is used where things are broken.
"""
