"""Tests of `torch_errors/running/`."""
