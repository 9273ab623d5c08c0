"""Cleans and parses pasted error messages and logs. The only parser of tracebacks in this package.

    cleaning.py    removes colors, prefixes, boxes and line breaks, and groups the lines by failure
    facts.py       reads type, message, operation, shapes, dtypes and devices of any error
    frames.py      reads the frames of Python, IPython, rich and pytest, and finds the user's own line

Nothing here imports torch. The site does the same in JavaScript, in modules of the same names (website/docs/assets/).
"""
