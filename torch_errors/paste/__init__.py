"""What people paste: made comparable, and read. The only parser of tracebacks.

    cleaning.py    colours, prefixes, boxes and line breaks taken away; which lines belong to which failure
    facts.py       type, message, operation, shapes, dtypes and devices of any error
    frames.py      the frames of an error, in the forms of Python, IPython, rich and pytest; the user's own line

Nothing here imports torch. The site does the same in JavaScript, in modules of the same names (website/docs/assets/).
"""
