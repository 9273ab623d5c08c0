"""Tests of `torch-errors doctor`."""
