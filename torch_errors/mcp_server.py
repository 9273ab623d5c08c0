"""`torch-errors mcp`: the guide for assistants, over the Model Context Protocol (https://modelcontextprotocol.io).

It runs no code, reads no files except the guide in this package, opens no connections, and writes no log, because
questions may contain secrets. Answers of tools that exceed `LONGEST` are split into pages; resources are whole pages.
"""

from __future__ import annotations

import re
from collections.abc import Collection
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
from torch_errors.doctor.assistant import diagnose_report
from torch_errors.errors import UserError
from torch_errors.explaining.explain import Match, explain
from torch_errors.explaining.guess import Nearest, nearest
from torch_errors.languages import in_language
from torch_errors.logs.answer import told_log
from torch_errors.markdown.parsing import parse_page, plain_markdown, same_heading
from torch_errors.paste.facts import facts
from torch_errors.paste.frames import UserLine
from torch_errors.prompting.compose import explanation
from torch_errors.prompting.redaction import redact
from torch_errors.prompting.template import EXPLANATION, TRACEBACK, load_prompt, load_prompts
from torch_errors.reading import read_text
from torch_errors.running.versions import Versions

# Maximum size of an answer as JSON, and of one text in it. ASCII characters count 1, others 3; a token is about 3.
LONGEST, LONGEST_TEXT = 6000, 1050
# Maximum number of entries and symptoms that a search lists.
ENTRIES, SYMPTOMS = 8, 2
ADDRESS, MARKDOWN = "torch-errors://{language}/{id}", "text/markdown"
INSTRUCTIONS = (
    "A catalog of PyTorch errors, each verified by running it. Before you edit code because of an exception, a warning "
    "or a training run that learns badly, ask here: explain_error with the whole output, or search_entries if there is "
    "no message; then get_entry. If it has no answer, say so, and never present a guess as an answer."
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

    Use it whenever there is a message, before you edit code. Not for failures without a message: use search_entries.
    Returns `errors`, the error to fix first on top: entry, your line, what happened, the smallest fix; of a training
    `log`, what its numbers show. If nothing matches, `guesses` and `symptoms` are only nearest by words, no answers.
    """
    if errors := [_error(match, language) for match in explain(text, own_root(), language)]:
        answer = _on_page("errors", errors, page, LONGEST - 300)
        return answer | {"next": f"get_entry({answer['errors'][0]['id']!r}, part='fix') shows the fix as code"}
    near, stated = nearest(text, own_root(), language), facts(text)
    told: Answer = {"errors": [], "guesses": [_summary(candidate.entry.id, language) for candidate in near.entries]}
    told |= {"symptoms": _symptoms(near, _catalog("en").by_id), "facts": asdict(stated)}
    told["facts"]["frame"] = _place(stated.frame)
    return told_log(text, own_root(), language) or told | {"next": "no entry matches: say so; try search_entries"}


def search_entries(
    query: Annotated[str, Field(description="what is seen, names of functions, a topic; English or Chinese")],
    kind: Annotated[Literal["exception", "warning", "silent"] | None, Field(description="silent: no message")] = None,
    category: Annotated[str | None, Field(description="an id that list_categories returns")] = None,
) -> Answer:
    """Find entries by a description: a loss that does not fall, memory that grows, a function, a topic.

    Use it if there is no message. Not for tracebacks and messages: use explain_error. Returns `entries`, the most
    words in common first, and `symptoms`: the ids of all causes of what is seen, those that the words fit first,
    then the most frequent.
    """
    catalog = _catalog("en")
    searched = catalog.category(category).entries if category else catalog
    within = {entry.id for entry in searched if kind in (None, entry.kind)}
    found = nearest(query, own_root(), entries=len(catalog), symptoms=len(catalog))
    near, symptoms = [hit.entry.id for hit in found.entries if hit.entry.id in within], _symptoms(found, within)
    answer = _on_page("entries", [_summary(id) for id in near[:ENTRIES]], 1, LONGEST - _size(symptoms) - 300)
    hint = "get_entry(id, part='fix') shows a fix" if near or symptoms else "nothing matches; use other words"
    return {"entries": answer["entries"], "symptoms": symptoms, "next": hint}


def get_entry(
    id: Annotated[str, Field(description="as another tool returned it, such as matmul-shape-mismatch")],
    language: Language = "en",
    part: Part = "page",
    page: PageNumber = 1,
) -> Answer:
    """Read an entry: how to fix the error, why it happens, how to confirm it, or its scripts.

    Use it before you edit code, with an id that another tool returned. Not to find an id: use explain_error or
    search_entries. Returns `text`, Markdown, and `versions`: whether it held with each torch, and the message there.
    """
    entry = _catalog(language).entry(id)
    if part == "page":
        text = _page(entry.id, language)
    elif part == "fix":
        read_page = parse_page(in_language(entry.page, language))
        section = read_page.section(same_heading(parse_page(entry.page), read_page, "Fix") or "")
        text = f"{entry.fields.fix or ''}\n\n{plain_markdown(section)}\n\n```diff\n{entry.diff()}```\n".lstrip("\n")
    else:
        text = f"```python\n{read_text(entry.script(part), 'install torch-errors again')}```\n"
        if entry.recording(part).is_file():
            text += f"\n```text\n{entry.recording(part).read_text(encoding='utf-8')}```\n"
    versions = {torch: _cut(result, 300) for torch, result in Versions.load(entry).summary().items()}
    answer: Answer = {"entry": _summary(entry.id, language), "versions": versions}
    room = LONGEST - _size(answer) - 300
    sections = re.split(r"(?m)^(?=## )", text)
    items = [item for text in sections for item in ([text] if _size(text) < room else text.splitlines(keepends=True))]
    answer |= _on_page("text", items, page, room)
    goes_on = f"get_entry({entry.id!r}, {language!r}, {part!r}, {page + 1}) goes on"
    return answer | {"text": "".join(answer["text"]), "next": goes_on if page < answer["pages"] else "all shown"}


def list_categories() -> Answer:
    """List the categories and symptoms of the catalog, each with id and title.

    Use it to choose a category for search_entries, or to say what the catalog covers. Not to explain an error.
    """
    counted = {group.id: f"{group.title} ({len(group.entries)} entries)" for group in _catalog("en").categories}
    return {"categories": counted, "symptoms": {symptom.id: symptom.title for symptom in _catalog("en").symptoms}}


def _error(match: Match, language: str) -> Answer:
    texts = {"message": match.message, "what_happened": match.says, "fix": match.fix, "your_line": _place(match.frame)}
    answer = _summary(match.id, language) | {name: text and _cut(text) for name, text in texts.items()}
    more = {"because_of": list(match.because), "fix_needs_torch": match.needs, "line": match.line}
    more |= {"platform": match.platform}
    return answer | {key: value for key, value in more.items() if value} | {"also": [o.id for o in match.alternatives]}


def _symptoms(near: Nearest, within: Collection[str]) -> list[Answer]:
    return [
        {"id": one.id, "title": one.title, "causes": causes, "workflow": one.workflow}
        for one in near.symptoms
        if (causes := [cause.id for cause in one.causes if cause.id in within])
    ][:SYMPTOMS]


def _place(frame: UserLine | None) -> str | None:
    return _cut(f"{frame.file}:{frame.line}: {frame.code or ''}") if frame else None


def _summary(id: str, language: str = "en") -> Answer:
    entry = _catalog(language).by_id[id]
    names = ("id", "title", "category", "kind", "summary")
    return {name: getattr(entry, name) for name in names} | {"fix": entry.fields.fix}


def _page(id: str, language: str = "en") -> str:
    """Return the page of an entry, or of `workflow-NAME`. Raises UserError if there is none."""
    workflow = _catalog(language).workflows.get(id.removeprefix("workflow-"))
    path = workflow if workflow and id.startswith("workflow-") else _catalog(language).entry(id).page
    return plain_markdown(read_text(in_language(path, language), "install torch-errors again"))


def _cut(text: str, most: int = LONGEST_TEXT) -> str:
    return text if _size(text) <= most else f"{text[: most // 3]} …"


def _size(value: object) -> int:
    """Size of a value, in the unit of `LONGEST`."""
    return sum(1 if char.isascii() else 3 for char in to_json(value, indent=2).decode())


def _on_page(name: str, items: list[Any], page: int, room: int) -> Answer:
    """Split items into pages of the size `room`; return the items on one of them, and the number of pages."""
    pages: list[list[Any]] = [[]]
    left = room
    for item in items:
        size = _size(item) + 40  # allows for the JSON around the item
        if pages[-1] and size > left:
            pages.append([])
            left = room
        pages[-1].append(item)
        left -= size
    if page > len(pages):
        raise ToolError(f"there is no page {page}; ask for a page from 1 to {len(pages)}")
    return {name: pages[page - 1], "page": page, "pages": len(pages)}


@lru_cache(maxsize=2)
def _catalog(language: str) -> Catalog:
    return load_catalog(own_root()).in_language(language)


def _filled(name: str, language: str = "en", **values: str) -> str:
    """Return a prompt with its blanks filled, the guide's explanation of the traceback included, without secrets."""
    matches = explain(values.get(TRACEBACK, ""), own_root(), language)
    explained = {EXPLANATION: explanation(matches[0], own_root(), language)} if matches else {}
    prompt = load_prompt(name, own_root(), language)
    if unknown := values.keys() - prompt.blanks.keys():
        raise MCPError(INVALID_PARAMS, f"{name} has no blank {', '.join(unknown)}; it has {', '.join(prompt.blanks)}")
    return prompt.fill({blank: redact(text)[0] for blank, text in values.items()} | explained)


class Server(MCPServer):
    """The server, which explains how to correct wrong arguments without repeating their values."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> Any:
        accepted = {tool.name: list(tool.input_schema["properties"]) for tool in await self.list_tools()}.get(name, [])
        if accepted and (unknown := arguments.keys() - set(accepted)):
            raise ToolError(f"{name} has no argument {', '.join(sorted(unknown))}; it has {', '.join(accepted)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(cause := error.__cause__, ValidationError):
                problems = [f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" for detail in cause.errors()]
                raise ToolError(f"{name}: {'; '.join(problems)}") from None
            if isinstance(cause, UserError):
                raise ToolError(f"{cause}. search_entries and list_categories return ids") from None
            raise


def server() -> Server:
    """Create the server with its tools, prompts and resources. Raises UserError if the guide is missing."""
    made = Server("torch-errors", version=version("torch-errors"), instructions=INSTRUCTIONS, log_level="CRITICAL")
    hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for tool in (explain_error, diagnose_report, search_entries, get_entry, list_categories):
        made.add_tool(tool, description=getdoc(tool), annotations=hints)
    for prompt in load_prompts(own_root()).values():
        blanks = {**prompt.blanks, "language": "language of the prompt, en or zh"}
        arguments = [PromptArgument(name=name, description=use) for name, use in blanks.items() if name != EXPLANATION]
        details: Answer = {"title": prompt.title, "description": prompt.summary, "arguments": arguments}
        made.add_prompt(Prompt(name=prompt.name, fn=partial(_filled, prompt.name), context_kwarg=None, **details))
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
