"""Training logs: how they are read, and what they show."""
