"""Programs for maintainers of the guide; not part of the package."""
