"""Tests of `torch_errors/watching/`."""
