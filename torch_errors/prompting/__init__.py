"""Prompts for language models: read from `debug-templates/prompts/`, filled with what the machine knows, redacted."""
