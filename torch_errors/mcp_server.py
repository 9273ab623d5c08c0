"""`torch-errors mcp`: the guide for assistants, over the Model Context Protocol (https://modelcontextprotocol.io).

It runs no code, reads no file but the guide of this package, opens no connection, and writes no log: what it is asked
may hold secrets. Tools answer within `LONGEST`, longer answers in pages; resources are whole pages.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import lru_cache, partial
from importlib.metadata import version
from inspect import getdoc
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.mcpserver.prompts.base import Prompt, PromptArgument
from mcp.server.mcpserver.resources import FunctionResource
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, ToolAnnotations
from pydantic import Field, ValidationError
from pydantic_core import to_json

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.locate import own_root
from torch_errors.errors import UserError
from torch_errors.explaining.explain import Match, explain
from torch_errors.explaining.guess import guess, nearest, nearest_symptoms
from torch_errors.languages import in_language
from torch_errors.markdown.parsing import parse_page, plain_markdown, same_heading
from torch_errors.paste.facts import facts
from torch_errors.paste.frames import UserLine
from torch_errors.prompting.compose import explanation
from torch_errors.prompting.redaction import redact
from torch_errors.prompting.template import EXPLANATION, TRACEBACK, load_prompt, load_prompts
from torch_errors.reading import read_text
from torch_errors.running.versions import Versions

# Of an answer as JSON, 2,000 tokens: three ASCII characters count as one, as does each other character. Of one text.
LONGEST, LONGEST_TEXT = 6000, 1050
# How many entries and symptoms a search lists, and what an entry must know of the query, in percent.
ENTRIES, SYMPTOMS, LEAST = 8, 2, 10
ADDRESS, MARKDOWN = "torch-errors://{language}/{id}", "text/markdown"
INSTRUCTIONS = (
    "A catalog of PyTorch errors, each verified by running it. Before you edit code because of an exception, a warning "
    "or a training that learns badly, ask here: explain_error with the whole output, or search_entries where there is "
    "no message; then get_entry. Say so where it has no answer, and never present a guess as one."
)

Language = Annotated[Literal["en", "zh"], Field(description="language of the answer")]
PageNumber = Annotated[int, Field(ge=1, description="which page of a long answer; `pages` says how many there are")]
Part = Annotated[Literal["page", "broken", "fixed", "fix"], Field(description="scripts have their output; fix: a diff")]
Answer = dict[str, Any]


def explain_error(
    text: Annotated[str, Field(min_length=1, description="all of the output")],
    language: Language = "en",
    page: PageNumber = 1,
) -> Answer:
    """Explain a PyTorch error, warning or log with the numbers of its own message.

    Use it whenever there is a message, before you edit code. Not for failures without one: use search_entries.
    Returns `errors`, the one to fix first on top: entry, your line, what happened, the smallest fix. If no entry
    matches, `errors` is empty; then `guesses` are near by their words, no answers, and `facts` is what the text says.
    """
    errors = [_error(match, language) for match in explain(text, own_root(), language)]
    if errors:
        answer = _on_page("errors", errors, page, LONGEST - 300)
        return answer | {"next": f"get_entry({answer['errors'][0]['id']!r}, part='fix') shows the fix as code"}
    near = [_found(one.entry.id, language) for one in guess(text, own_root(), language=language)]
    hint = "no entry matches: say so, and try search_entries with what you see"
    said = facts(text)
    return {"errors": [], "guesses": near, "facts": asdict(said) | {"frame": _place(said.frame)}, "next": hint}


def search_entries(
    query: Annotated[str, Field(description="in English: what is seen, names of functions, a topic")],
    kind: Annotated[Literal["exception", "warning", "silent"] | None, Field(description="silent: no message")] = None,
    category: Annotated[str | None, Field(description="an id that list_categories returns")] = None,
) -> Answer:
    """Find entries by what somebody describes: a loss that does not fall, memory that grows, a function, a topic.

    Use it where there is no message. Not for tracebacks and messages: use explain_error. Returns `entries`, nearest
    by shared words first, and `symptoms`: the ids of all causes of what is seen, the most frequent first.
    """
    catalog = _catalog("en")
    entries = catalog.category(category).entries if category else catalog
    within = {entry.id for entry in entries if kind in (None, entry.kind)}
    near = [one.entry.id for share, one in nearest(query, own_root()) if share >= LEAST and one.entry.id in within]
    symptoms = [
        {"id": one.id, "title": one.title, "causes": causes, "workflow": one.workflow}
        for one in nearest_symptoms(query, catalog)
        if (causes := [entry.id for entry, _ in catalog.causes(one) if entry.id in within])
    ][:SYMPTOMS]
    answer = _on_page("entries", [_found(id) for id in near[:ENTRIES]], 1, LONGEST - _size(symptoms) - 300)
    hint = "get_entry(id, part='fix') shows a fix" if near or symptoms else "nothing is near; use other English words"
    return {"entries": answer["entries"], "symptoms": symptoms, "next": hint}


def get_entry(
    id: Annotated[str, Field(description="as another tool returned it, such as matmul-shape-mismatch")],
    language: Language = "en",
    part: Part = "page",
    page: PageNumber = 1,
) -> Answer:
    """Read an entry: how to fix the error, why it happens, how to confirm it, or its scripts.

    Use it before you edit code, with an id that another tool returned. Not to find one: use explain_error or
    search_entries. Returns `text`, Markdown, and `versions`: whether it held with each torch, and its message there.
    """
    entry = _catalog(language).entry(id)
    if part == "page":
        text = _page(entry.id, language)
    elif part == "fix":
        told_page = parse_page(in_language(entry.page, language))
        section = told_page.section(same_heading(parse_page(entry.page), told_page, "Fix") or "")
        text = f"{entry.fields.fix or ''}\n\n{plain_markdown(section)}\n\n```diff\n{entry.diff()}```\n".lstrip("\n")
    else:
        text = f"```python\n{read_text(entry.script(part), 'install torch-errors again')}```\n"
        if entry.recording(part).is_file():
            text += f"\n```text\n{entry.recording(part).read_text(encoding='utf-8')}```\n"
    versions = {one: _cut(said, 300) for one, said in Versions.load(entry).summary().items()}
    answer: Answer = {"entry": _found(entry.id, language), "versions": versions}
    room = LONGEST - _size(answer) - 300
    sections = re.split(r"(?m)^(?=## )", text)
    pieces = [piece for one in sections for piece in ([one] if _size(one) < room else one.splitlines(keepends=True))]
    answer |= _on_page("text", pieces, page, room)
    goes_on = f"get_entry({entry.id!r}, {language!r}, {part!r}, {page + 1}) goes on"
    return answer | {"text": "".join(answer["text"]), "next": goes_on if page < answer["pages"] else "all shown"}


def list_categories() -> Answer:
    """The categories and symptoms of the catalog, id and title each.

    Use it to choose a category for search_entries, or to say what the catalog covers. Not to explain an error.
    """
    counted = {one.id: f"{one.title} ({len(one.entries)} entries)" for one in _catalog("en").categories}
    return {"categories": counted, "symptoms": {one.id: one.title for one in _catalog("en").symptoms}}


def _error(match: Match, language: str) -> Answer:
    texts = {"message": match.message, "what_happened": match.says, "fix": match.fix, "your_line": _place(match.frame)}
    told = {name: text and _cut(text) for name, text in texts.items()}
    return _found(match.id, language) | told | {"line": match.line, "also": [other.id for other in match.alternatives]}


def _place(frame: UserLine | None) -> str | None:
    return _cut(f"{frame.file}:{frame.line}: {frame.code or ''}") if frame else None


def _found(id: str, language: str = "en") -> Answer:
    entry = _catalog(language).by_id[id]
    names = ("id", "title", "category", "kind", "summary")
    return {name: getattr(entry, name) for name in names} | {"fix": entry.fields.fix}


def _page(id: str, language: str = "en") -> str:
    """The page of an entry, or of `workflow-NAME`. Raises UserError where there is none."""
    workflow = _catalog(language).workflows.get(id.removeprefix("workflow-"))
    path = workflow if workflow and id.startswith("workflow-") else _catalog(language).entry(id).page
    return plain_markdown(read_text(in_language(path, language), "install torch-errors again"))


def _cut(text: str, most: int = LONGEST_TEXT) -> str:
    return text if _size(text) <= most else f"{text[: most // 3]} …"


def _size(value: object) -> int:
    """What counts against `LONGEST`."""
    return sum(1 if char.isascii() else 3 for char in to_json(value, indent=2).decode())


def _on_page(name: str, items: list[Any], page: int, room: int) -> Answer:
    """Those of the items that are on a page, each page taking so much, and how many pages there are."""
    pages: list[list[Any]] = [[]]
    left = room
    for item in items:
        size = _size(item) + 40  # what is around it
        if pages[-1] and size > left:
            pages.append([])
            left = room
        pages[-1].append(item)
        left -= size
    if page > len(pages):
        raise ToolError(f"page {page} is not there; ask for a page from 1 to {len(pages)}")
    return {name: pages[page - 1], "page": page, "pages": len(pages)}


@lru_cache(maxsize=2)
def _catalog(language: str) -> Catalog:
    return load_catalog(own_root()).in_language(language)


def _filled(name: str, language: str = "en", **values: str) -> str:
    """A prompt with its blanks filled and what the guide says of the traceback, without secrets."""
    matches = explain(values.get(TRACEBACK, ""), own_root(), language)
    told = {EXPLANATION: explanation(matches[0], own_root(), language)} if matches else {}
    prompt = load_prompt(name, own_root(), language)
    if unknown := values.keys() - prompt.blanks.keys():
        raise MCPError(INVALID_PARAMS, f"{name} has no blank {', '.join(unknown)}; it has {', '.join(prompt.blanks)}")
    return prompt.fill({one: redact(text)[0] for one, text in values.items()} | told)


class Server(MCPServer):
    """Says of wrong arguments how to mend them, without repeating them."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> Any:
        known = next((list(one.input_schema["properties"]) for one in await self.list_tools() if one.name == name), [])
        if known and (unknown := arguments.keys() - set(known)):
            raise ToolError(f"{name} has no argument {', '.join(sorted(unknown))}; it has {', '.join(known)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                said = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in cause.errors()]
                raise ToolError(f"{name}: {'; '.join(said)}") from None
            if isinstance(cause, UserError):
                raise ToolError(f"{cause}. search_entries and list_categories return ids") from None
            raise


def server() -> Server:
    """The server with its tools, prompts and resources. Raises UserError where the guide is not there."""
    made = Server("torch-errors", version=version("torch-errors"), instructions=INSTRUCTIONS, log_level="CRITICAL")
    hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for tool in (explain_error, search_entries, get_entry, list_categories):
        made.add_tool(tool, description=getdoc(tool), annotations=hints)
    for prompt in load_prompts(own_root()).values():
        blanks = {**prompt.blanks, "language": "language of the prompt, en or zh"}
        arguments = [PromptArgument(name=one, description=what) for one, what in blanks.items() if one != EXPLANATION]
        told: Answer = {"title": prompt.title, "description": prompt.summary, "arguments": arguments}
        made.add_prompt(Prompt(name=prompt.name, fn=partial(_filled, prompt.name), context_kwarg=None, **told))
    titles: dict[str, str] = {entry.id: entry.title for entry in _catalog("en")}
    titles |= {f"workflow-{name}": parse_page(path).headings[0][1] for name, path in _catalog("en").workflows.items()}
    for id, title in titles.items():
        uri = ADDRESS.format(language="en", id=id)
        made.add_resource(FunctionResource(uri=uri, name=id, title=title, mime_type=MARKDOWN, fn=partial(_page, id)))

    @made.resource(ADDRESS, mime_type=MARKDOWN, description="The page of an entry, or of workflow-NAME, in en or zh.")
    def page(language: Language, id: str) -> str:
        try:
            return _page(id, language)
        except UserError as error:
            raise ResourceNotFoundError(str(error)) from None

    return made
