"""The page on which a prompt is filled in, and what its script needs to fill it as `torch_errors.prompting` does.

The data hold the prompts, what they quote of the guide, and the rules of trimming and redaction, rewritten for
JavaScript. What they mean is said in `website/docs/assets/prompting.js`.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.locate import ENTRIES_FOLDER
from torch_errors.catalog.texts import load_texts
from torch_errors.errors import UserError
from torch_errors.languages import ENGLISH, IN_ENGLISH, Texts
from torch_errors.markdown.parsing import parse_page, same_heading
from torch_errors.prompting import compose, redaction, template
from torch_errors.prompting.template import FOLDER, Prompt, load_prompts
from website.dialects import SITE, Dialect
from website.javascript import expression

# The page has no file: it is made here. Its source lies at the root, so that its address is `prompt/`.
SOURCE = "prompt.md"
ADDRESS = "prompt/"
# Where the data lie on the site, beside the module that reads them.
DATA_FILE = "assets/prompts.json"
TITLE = "Prompt builder"  # also in the navigation
STATEMENT = (
    "Choose a prompt, fill it in and copy it into a chat with a language model. Everything stays in this browser; "
    "nothing is sent or stored."
)
WITHOUT_SCRIPT = (
    "This form needs JavaScript. Without it, copy one of the {prompts} or fill it in on the command line: {command}"
)

# The prompt for an error that the catalog does not know.
UNKNOWN = "error-analysis"

# The blanks of the prompts, as their fields are labelled. A blank that is not listed goes by its name.
LABELS = {
    "traceback": "Traceback or output",
    "code": "Code",
    "environment": "Environment",
    "actual": "Actual behaviour",
    "backend": "Backend and initialisation",
    "backends": "Other backends",
    "background": "Background",
    "blocking": "Run with CUDA_LAUNCH_BLOCKING=1",
    "collectives": "Collectives",
    "cpu_run": "The same on the CPU",
    "data": "Inputs and targets",
    "eager": "Without torch.compile",
    "expected": "Expected behaviour",
    "expected_shape": "Expected shape",
    "failing_sample": "Failing sample",
    "goal": "Goal",
    "gpu": "GPU",
    "gradient_norms": "Gradient norms",
    "graph_breaks": "Graph breaks",
    "guessing": "Loss of guessing",
    "hardware": "Hardware",
    "launch": "Launch",
    "layer_shapes": "Shapes of the layers",
    "memory": "Memory",
    "none_gradients": "Parameters without gradient",
    "observed_values": "Observed values",
    "occurrence": "Occurrence",
    "one_batch": "One batch",
    "operation": "Operation",
    "parameters": "Trained parameters",
    "profile": "Profile",
    "ranks": "Ranks",
    "recompiles": "Recompilations",
    "sample": "One sample",
    "settings": "Settings",
    "shape_a": "Shape of tensor A",
    "shape_b": "Shape of tensor B",
    "single": "With one process",
    "single_process": "Without workers",
    "step_time": "Speed",
    "task": "Task",
    "tried": "Tried so far",
    "update": "Change in one step",
    "utilisation": "GPU utilisation",
    "waiting_share": "Waiting for data",
}
# An option of a prompt, to be ticked.
_OPTION = re.compile(r"(?m)^- \[ \] ([^\n]+)$")


# The page ----------------------------------------------------------------------------------------------------------


class PromptBuilder:
    """What the page is about (`Published.subject`)."""


def exists(root: Path) -> bool:
    """Whether the guide has prompts to fill in."""
    return (root / FOLDER / "README.md").is_file()


def page(texts: Texts = IN_ENGLISH, dialect: Dialect = SITE) -> str:
    """Markdown of the page. Its script makes the fields; the copy says what to do instead."""
    prompts, command = texts.word("prompts"), "torch-errors prompt error-analysis --traceback error.txt"
    if dialect.plain:
        form = texts.word(WITHOUT_SCRIPT, prompts=f"[{prompts}]({FOLDER}/README.md)", command=f"`{command}`")
    else:
        link = f'<a href="{posixpath.relpath(FOLDER, ADDRESS)}/">{prompts}</a>'
        without = texts.word(WITHOUT_SCRIPT, prompts=link, command=f"<code>{command}</code>")
        form = (
            f'<div class="prompt-builder" data-prompts="{FOLDER}/" data-search-exclude></div>\n'
            f'<noscript><p class="prompt-builder-off">{without}</p></noscript>\n'
            '<script type="module" src="../assets/prompt-builder.js"></script>'
        )
    return f"# {texts.word(TITLE)}\n\n{texts.word(STATEMENT)}\n\n{form}\n"


def with_way_here(text: str, source: str, root: Path, texts: Texts = IN_ENGLISH) -> str:
    """The Markdown of a page with a link to this one, where the page is a prompt or lists them; else as it is."""
    folder, name = posixpath.split(source)
    if folder != FOLDER or not name.endswith(".md"):
        return text
    if name == "README.md":
        link = f"[{texts.word('Fill one in on this site')}]({posixpath.relpath(SOURCE, FOLDER)})"
        return _below(text, r"(?m)^# [^\n]*\n+[^\n]+(?:\n[^\n]+)*\n", link)
    english = parse_page(root / source)
    heading = same_heading(english, parse_page(english.path, text), "The prompt")
    # HTML: MkDocs would look for a heading by the name of what follows `#`.
    address = f"{posixpath.relpath(ADDRESS, f'{FOLDER}/{english.path.stem}')}/#template={english.path.stem}"
    link = f'<a class="fill-in" href="{address}">{texts.word("Fill it in here")}</a>'
    return _below(text, rf"(?m)^## {re.escape(heading)}[ \t]*\n", link) if heading else text


def _below(text: str, place: str, paragraph: str) -> str:
    """The text with a paragraph inserted after the first match of `place`."""
    return re.sub(place, lambda found: f"{found[0]}\n{paragraph}\n\n", text, count=1)


# The data ----------------------------------------------------------------------------------------------------------


def prompts_json(catalog: Catalog, language: str = ENGLISH) -> str:
    """The data as compact JSON, in a language. Raises UserError where a rule cannot be said in JavaScript."""
    return json.dumps(prompts_data(catalog, language), ensure_ascii=False, separators=(",", ":"))


def prompts_data(catalog: Catalog, language: str = ENGLISH) -> dict[str, Any]:
    """The data as values that JSON can represent."""
    texts = load_texts(language)
    try:
        return {
            "prompts": [_prompt(prompt, texts) for prompt in load_prompts(catalog.root, language).values()],
            "unknown": UNKNOWN,
            "promptOfCategory": {category.id: category.prompt for category in catalog.categories},
            "environmentCommand": environment_command(catalog.root),
            "template": {name: expression(pattern, capture=True) for name, pattern in template.EXPRESSIONS.items()}
            | {"option": expression(_OPTION, capture=True)},
            "explanation": _explanation(catalog, texts),
            "redaction": _redaction(),
        }
    except ValueError as error:
        raise UserError(f"the prompt builder: {error}") from None


def environment_command(root: Path) -> str:
    """The command that prints an environment in one line, as the page of the prompts gives it."""
    fences = parse_page(root / FOLDER / "README.md").fences
    found = [fence.text.strip() for fence in fences if fence.language == "sh" and fence.text.startswith("python -c")]
    if len(found) != 1:
        raise UserError(f"{root / FOLDER / 'README.md'}: must hold one block `python -c`, holds {len(found)}")
    return found[0]


def options(text: str) -> list[dict[str, Any]]:
    """The options of a prompt, `- [ ] …`, with the heading that they stand below."""
    found = []
    for section in re.split(r"(?m)^(?=## )", text):
        listed = _OPTION.findall(section)
        if listed:
            found.append({"heading": section.partition("\n")[0].removeprefix("## "), "options": listed})
    return found


def _prompt(prompt: Prompt, texts: Texts) -> dict[str, Any]:
    return {
        "name": prompt.name,
        "title": prompt.title,
        "summary": re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", prompt.summary),
        "text": prompt.text,
        "blanks": [
            {"name": name, "label": texts.word(label(name)), "hint": hint} for name, hint in prompt.blanks.items()
        ],
        "options": options(prompt.text),
    }


def label(blank: str) -> str:
    """What a blank is called, in English."""
    return LABELS.get(blank, blank.replace("_", " ").capitalize())


def _explanation(catalog: Catalog, texts: Texts) -> dict[str, Any]:
    parts = {"happened": compose.HAPPENED, "fix": compose.FIX, "why": compose.WHY, "source": compose.SOURCE}
    mechanisms = {
        entry.id: compose.mechanism(
            catalog.root / ENTRIES_FOLDER / entry.category / entry.id / "README.md", texts.language
        )
        for entry in catalog
    }
    return {**{name: texts.word(text) for name, text in parts.items()}, "mechanisms": mechanisms}


def _redaction() -> dict[str, Any]:
    return {
        # Of what is put, a text and the number of a group in turn: what `re` calls a template.
        "rules": [
            {
                "what": rule.what,
                "source": expression(rule.find, capture=True),
                "put": [int(part) if at % 2 else part for at, part in enumerate(re.split(r"\\(\d)", rule.put))],
            }
            for rule in redaction.rules()
        ],
        "owner": expression(redaction.OWNER, capture=True),
        "ownerPut": redaction.USER,
        "common": sorted(redaction.COMMON),
        "shortestName": redaction.SHORTEST_NAME,
        "named": redaction.NAMED,
        "longest": redaction.LONGEST,
        "leftOut": compose.LEFT_OUT,
    }
