"""What the pages and entries of this guide promise."""
