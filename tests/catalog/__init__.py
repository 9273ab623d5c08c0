"""Tests of `torch_errors/catalog/`."""
