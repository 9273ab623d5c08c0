"""Watched runs."""
