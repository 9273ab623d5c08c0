"""PyTorch debugging guide: a catalog of errors that prove themselves."""
