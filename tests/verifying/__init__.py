"""Tests of `torch_errors/verifying/`."""
