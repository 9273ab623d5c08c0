"""Read and validate the catalog: `catalog.yaml` and the `entry.yaml` in the folder of each entry.

    fields.py       pydantic models of the two kinds of files
    entries.py      categories and entries in memory, with their paths
    loading.py      builds the catalog from the files, and the JSON Schemas of the files
    expressions.py  the expressions in `when` and in the braces of `says` and `fix`
    texts.py        texts in several languages, and the texts of the program itself
    yaml_files.py   reads YAML, with errors that give file, line, entry and field
    locate.py       paths of the guide

Nothing here imports torch. `explain` uses only `locate`, because it reads the compiled file instead of the sources.
"""
