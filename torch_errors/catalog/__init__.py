"""What exists and what it promises: `catalog.yaml` and the folders of the entries, read and validated.

    fields.py      the models of the files: what they may hold
    entries.py     categories and entries in memory, with their place on disk
    loading.py     from the files to the catalog, with errors that name file, entry and field; their JSON Schemas
    expressions.py  the language of `when` and of braces in `says` and `fix`
    texts.py       what the catalog and the program say in another language
    locate.py      where the guide is

torch is not imported here. `explain` uses `locate` only: it reads one compiled file instead of the sources.
"""
