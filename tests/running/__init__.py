"""Scripts in processes of their own."""
