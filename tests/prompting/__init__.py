"""Tests of `torch_errors/prompting/`."""
