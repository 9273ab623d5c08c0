"""What exists and what it promises: `catalog.yaml` and the folders of the entries, read and validated.

    fields.py      the models of the files: what they may hold
    entries.py     categories and entries in memory, with their place on disk
    loading.py     from the files to the catalog; their JSON Schemas
    expressions.py  the language of `when` and of braces in `says` and `fix`
    texts.py       texts that know their languages, and what the program says in them
    yaml_files.py  YAML read with errors that name file, line, entry and field
    locate.py      where the guide is

torch is not imported here. `explain` uses `locate` only: it reads one compiled file instead of the sources.
"""
