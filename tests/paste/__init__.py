"""Tests of `torch_errors/paste/`."""
