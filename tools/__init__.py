"""Programs for those who maintain the guide; not part of the package."""
