"""Code that only the site needs. MkDocs calls `hook.py`; the other modules are pure functions."""
