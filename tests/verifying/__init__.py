"""What verification finds."""
