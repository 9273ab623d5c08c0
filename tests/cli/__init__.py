"""The commands and the MCP server."""
