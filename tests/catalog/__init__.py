"""The files of the catalog."""
