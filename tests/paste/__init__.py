"""What people paste."""
