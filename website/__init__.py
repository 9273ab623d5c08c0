"""What only the site needs. `hook.py` is called by MkDocs; the other modules are pure functions."""
