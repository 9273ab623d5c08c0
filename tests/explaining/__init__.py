"""From a pasted text to its answer."""
