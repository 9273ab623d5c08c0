"""Tests of the guide itself: its pages and entries."""
