"""Prompts for language models: read from `debug-templates/prompts/`, filled in automatically, and redacted."""
