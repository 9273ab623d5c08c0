"""`python -m torch_errors` is the command `torch-errors`."""

from torch_errors.cli import entry_point

if __name__ == "__main__":
    entry_point()
