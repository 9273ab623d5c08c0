"""Checks that an installed package works without torch and outside of the checkout.

    ENVIRONMENT/bin/python -I tools/try_installed.py

Run it in an environment with nothing but the wheel and its extra `mcp`.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile

import anyio
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

COMMAND = ["-I", "-m", "torch_errors"]
MESSAGE = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)"


def main() -> None:
    assert importlib.util.find_spec("torch") is None, "torch is installed; use an environment without it"
    with tempfile.TemporaryDirectory() as folder:

        def run(*arguments: str, text: str | None = None) -> str:
            command = [sys.executable, *COMMAND, *arguments]
            done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=folder, check=True)
            return done.stdout

        explained = json.loads(run("explain", "--json", text=MESSAGE))
        assert explained["matches"][0]["captures"]["features"] == "512"
        assert "in_features" in run("show", "matmul-shape-mismatch")
        assert "learning rate" in run("show", "loss-does-not-fall")
        prompt = run("prompt", "shapes", "--traceback", "-", text=MESSAGE)
        assert "512" in prompt and "torch-errors doctor report" in prompt and "<<traceback" not in prompt
        assert {row["id"] for row in json.loads(run("list", "--json"))} >= {"matmul-shape-mismatch", "nan-loss"}
        anyio.run(ask_server, folder)
    print("the installed package explains, shows, prompts, lists, and answers assistants")


async def ask_server(folder: str) -> None:
    parameters = StdioServerParameters(command=sys.executable, args=[*COMMAND, "mcp"], cwd=folder)
    async with Client(stdio_client(parameters)) as client:
        answer = (await client.call_tool("explain_error", {"text": MESSAGE})).structured_content
        assert answer and answer["errors"][0]["id"] == "matmul-shape-mismatch"


if __name__ == "__main__":
    main()
