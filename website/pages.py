"""From the files of the repository to the Markdown of the site. Nothing here depends on MkDocs.

The Markdown that comes out is for Python-Markdown with `attr_list`, `pymdownx.superfences` and `pymdownx.tabbed`.
"""

from __future__ import annotations

import posixpath
import re
import textwrap
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch_errors.catalog.entries import Catalog, Category, Entry, marked_lines
from torch_errors.catalog.fields import SilentEntry, Variant
from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, SNIPPETS, TEMPLATES, TEXTS_FILE, WORKFLOWS
from torch_errors.catalog.recordings import Recording
from torch_errors.errors import UserError
from torch_errors.languages import CHINESE, ENGLISH, IN_ENGLISH, Texts, in_language
from torch_errors.markdown.parsing import Fence, page_links, parse_page, same_heading
from torch_errors.markdown.snippets import Snippet, read_snippet
from website import all_errors, decisions, entries, home, moved, prompt_builder
from website.all_errors import AllErrors
from website.curves import Series, figure
from website.markup import cell, fence_marks, literal, plain
from website.moved import Moved
from website.prompt_builder import PromptBuilder

HOME = "README.md"
CONTRIBUTING, MAINTAINING = "CONTRIBUTING.md", "MAINTAINING.md"
# Folders of Markdown beside the catalog, in the order of the navigation.
FOLDERS = {WORKFLOWS: "Workflows", TEMPLATES: "Templates"}
# Files that pages link to and that the site hands out as they are.
HANDED_OUT = ("LICENSE", CATALOG_FILE)

_TABS: dict[Variant, str] = {"broken": "Broken", "fixed": "Fixed", "wrong_fix": "Wrong fix"}
# Words of file names that are written otherwise in a title.
_SPELLED = {"nan": "NaN", "lr": "learning-rate", "dataloader": "DataLoader"}
# A report that does not name its version of torch, but quotes what this one prints.
_WORDING = re.compile(r"the wording of (?P<version>torch [\d.]+(?: to [\d.]+)?), (?P<report>.+)")
_KEPT_ATTRIBUTES = ("title", "hl_lines", "linenums")


# What a page is about.
Subject = Entry | Category | Catalog | Snippet | AllErrors | Moved | PromptBuilder | None


@dataclass(frozen=True)
class Published:
    """A file of the repository and its place on the site, both with `/`."""

    source: str  # below the root of the repository
    destination: str | None = None  # below the root of the site; None: as MkDocs derives it from the source
    subject: Subject = None

    @property
    def is_page(self) -> bool:
        return self.source.endswith(".md")

    @property
    def place(self) -> str:
        """The file below the root of the site."""
        if self.destination is not None or not self.is_page:
            return self.destination or self.source
        folder, _, name = self.source.rpartition("/")
        return posixpath.join(folder, "" if name == "README.md" else name.removesuffix(".md"), "index.html")

    @property
    def made(self) -> bool:
        """Whether the site makes the page of something else: there is no source to read."""
        return isinstance(self.subject, (Snippet, AllErrors, Moved, PromptBuilder))


def check_files(catalog: Catalog) -> None:
    """Raises UserError with one line for each file that `catalog.yaml` promises and that is not there."""
    needed = [(catalog.root / HOME, "it is the home page")]
    for entry in catalog:
        why = f"entry {entry.id} of {CATALOG_FILE} needs it"
        needed += [(entry.page, why), *((entry.script(variant), why) for variant in entry.variants)]
        if not entries.may_lack_recording(entry):
            written = f"`torch-errors record {entry.id}` writes it"
            needed += [(entry.recording(variant), written) for variant in entry.variants]
    missing = [f"{path}: missing; {why}" for path, why in needed if not path.is_file()]
    if missing:
        raise UserError("\n".join(missing))


def published(catalog: Catalog, texts: Texts = IN_ENGLISH) -> list[Published]:
    """Everything of the repository that the site shows or hands out."""
    found = [Published(HOME, subject=catalog), Published(CONTRIBUTING, "contributing/index.html")]
    if (catalog.root / MAINTAINING).is_file():
        found.append(Published(MAINTAINING, "maintaining/index.html"))
    found += [Published(name) for name in HANDED_OUT]
    for folder in FOLDERS:
        found += [Published(path) for path in _files_below(catalog.root, folder)]
    for path in sorted((catalog.root / SNIPPETS).glob("*.py")):
        found.append(Published(f"{SNIPPETS}/{path.stem}.md", subject=read_snippet(path, texts.language)))
    found.append(Published(all_errors.SOURCE, f"{all_errors.FOLDER}/index.html", AllErrors(catalog)))
    if prompt_builder.exists(catalog.root):
        found.append(Published(prompt_builder.SOURCE, f"{prompt_builder.ADDRESS}index.html", PromptBuilder()))
    found = [item for item in found if item.made or (catalog.root / item.source).is_file()]
    for category in catalog.categories:
        found.append(Published(category_source(category.id), f"{category.id}/index.html", category))
        for entry in category.entries:
            below = f"{category.id}/{entry.id}"
            found.append(Published(entry_source(entry), f"{below}/index.html", entry))
            files = [path(variant) for variant in entry.variants for path in (entry.script, entry.recording)]
            found += [
                Published(path.relative_to(catalog.root).as_posix(), f"{below}/{path.name}")
                for path in files
                if path.is_file()
            ]
    return found + _moved(catalog, {item.place for item in found}) + _moved_pages(catalog.root, texts)


def _moved(catalog: Catalog, taken: Collection[str]) -> list[Published]:
    """Pages at the addresses that entries had. Raises UserError where there is a page already."""
    found = []
    for entry in catalog:
        for address in entry.former_addresses:
            subject = moved.of_entry(address, entry)
            found.append(Published(subject.source, f"{address}/index.html", subject))
            if found[-1].place in taken:
                raise UserError(
                    f"{catalog.root / CATALOG_FILE}: entry {entry.id}, field formerly: the site has another page at "
                    f"{address}; leave it out"
                )
    return found


def _moved_pages(root: Path, texts: Texts) -> list[Published]:
    """Pages at the addresses that other pages had."""
    found = []
    for address, folder in moved.FORMER_PAGES.items():
        path = root / folder / "README.md"
        if path.is_file():
            title = parse_page(in_language(path, texts.language)).headings[0][1]
            subject = moved.of_folder(address, folder, title, texts)
            found.append(Published(subject.source, f"{address}/index.html", subject))
    return found


def navigation(catalog: Catalog, texts: Texts = IN_ENGLISH) -> list[dict[str, Any]]:
    """The `nav` of MkDocs: categories and entries in the order of the catalog, then the other folders."""
    nav: list[dict[str, Any]] = [{texts.word("Home"): HOME}, {texts.word("All errors"): all_errors.SOURCE}]
    for category in catalog.categories:
        entries = [{plain(entry.title): entry_source(entry)} for entry in category.entries]
        nav.append({plain(category.title): [category_source(category.id), *entries]})
    for folder, title in FOLDERS.items():
        section = _section(catalog.root, folder, texts)
        if section:
            nav.append({texts.word(title): section})
    for title, name in (("Contributing", CONTRIBUTING), ("Maintaining", MAINTAINING)):
        if (catalog.root / name).is_file():
            nav.append({texts.word(title): name})
    return nav


def _section(root: Path, folder: str, texts: Texts) -> list[Any]:
    """Pages and subfolders of a folder, in the order in which its README.md links to them."""
    readme = root / folder / "README.md"
    if not readme.is_file():
        return []
    found: dict[str, Any] = {}
    for _, target in page_links(parse_page(readme)):
        name = posixpath.normpath(target.partition("#")[0])
        if name.startswith("..") or "://" in target:
            continue
        path = root / folder / name
        below = f"{folder}/{name}"
        if path.name == "README.md" and path.parent.parent == root / folder:
            path, below = path.parent, posixpath.dirname(below)
        if path.is_dir() and path.parent == root / folder:
            found.setdefault(
                below, {texts.word(path.name.replace("-", " ").capitalize()): _section(root, below, texts)}
            )
        elif path.parent == root / folder and path.suffix == ".md" and path.is_file():
            found.setdefault(below, below)
        elif path.parent == root / SNIPPETS and folder == SNIPPETS and path.suffix == ".py" and path.is_file():
            found.setdefault(below, {read_snippet(path, texts.language).title: f"{folder}/{path.stem}.md"})
    first: list[Any] = [f"{folder}/README.md"]
    if folder == TEMPLATES and prompt_builder.exists(root):
        first.append({texts.word(prompt_builder.TITLE): prompt_builder.SOURCE})
    return [*first, *found.values()]


def follows(item: Published, other: Published) -> bool:
    """Whether a page leads on to the one beside it: those of entries only within their category."""
    if not isinstance(item.subject, Entry):
        return True
    beside = other.subject
    return (isinstance(beside, Entry) and beside.category == item.subject.category) or (
        isinstance(beside, Category) and beside.id == item.subject.category
    )


def watched(root: Path) -> list[Path]:
    """What the sites are made of beside `mkdocs.yml`: pages, data, and the code that makes pages of them."""
    translated = [in_language(root / name, CHINESE).name for name in (HOME, CONTRIBUTING, MAINTAINING)]
    names = [HOME, CONTRIBUTING, MAINTAINING, *translated, CATALOG_FILE, TEXTS_FILE, "mkdocs.zh.yml"]
    names += [ENTRIES_FOLDER, *FOLDERS]
    names = list(dict.fromkeys([*names, "LICENSE", "website", "torch_errors"]))
    return [root / name for name in names if (root / name).exists()]


def metadata(item: Published) -> dict[str, Any]:
    """Front matter that the page gets: its description for search engines, and what the search shall find it by.

    `search` is for website/search.py: the messages that the page quotes and people's own words for the error.
    """
    found: dict[str, Any] = {}
    if isinstance(item.subject, Snippet):
        found["description"] = plain(item.subject.statement)
    elif isinstance(item.subject, (Entry, Category)):
        found["description"] = plain(item.subject.summary)
    if isinstance(item.subject, AllErrors):
        # It repeats every message, and would stand above the pages that explain them.
        found |= {"search": {"exclude": True}, "hide": ["toc"]}
    if isinstance(item.subject, PromptBuilder):
        found["hide"] = ["toc"]  # its room is the prompt's
    if isinstance(item.subject, Moved):
        found |= moved.metadata(item.subject)
    if isinstance(item.subject, Entry):
        # The page of a translated entry may still be in English.
        told = [item.subject.title] if item.subject.texts.language != ENGLISH else []
        found["search"] = {
            "messages": entries.quoted_messages(item.subject),
            "keywords": [*told, *item.subject.fields.keywords],
        }
    return found


def page_markdown(item: Published, text: str, root: Path, sources: Collection[str], texts: Texts = IN_ENGLISH) -> str:
    """Markdown of one page.

    `text` is what its source says, `sources` names everything that the site publishes, `texts` are those of the
    site's language.
    Raises UserError where something that the page shows is missing or malformed.
    """
    if isinstance(item.subject, PromptBuilder):
        return prompt_builder.page(texts)
    text = text.replace("\r\n", "\n")
    text = with_site_fences(with_repository_links(text, item.source, sources, root), root / item.source, texts)
    if isinstance(item.subject, Catalog):
        return home.home_page(item.subject, text, texts)
    if isinstance(item.subject, Entry):
        return entry_page(item.subject, text)
    if isinstance(item.subject, Category):
        return category_page(item.subject, text)
    if isinstance(item.subject, Snippet):
        return snippet_page(item.subject, texts)
    if isinstance(item.subject, AllErrors):
        return all_errors.page(item.subject.catalog, texts)
    if isinstance(item.subject, Moved):
        return moved.page(item.subject)
    if item.source.startswith(f"{WORKFLOWS}/"):
        english = parse_page(root / item.source)
        page = parse_page(in_language(english.path, texts.language))
        title = same_heading(english, page, decisions.TITLE)
        return decisions.with_diagram(text, page, title, texts.word("The same as text")) if title else text
    return prompt_builder.with_way_here(text, item.source, root, texts)


def snippet_page(snippet: Snippet, texts: Texts = IN_ENGLISH) -> str:
    """What the docstring says, then the file."""
    parts = [f"# {snippet.title}", snippet.statement, snippet.text, f"## {texts.word('The code')}"]
    parts.append(_file(snippet.path, snippet.source, texts))
    return "\n\n".join(parts) + "\n"


def entry_page(entry: Entry, text: str) -> str:
    """The page of an entry: its README with badges below the title, curves below what the reader sees, and the scripts.

    The smallest fix stands below the statement as well, so that a reader on a phone sees it without scrolling.
    """
    title, _, rest = text.lstrip("\n").partition("\n")
    if not title.startswith("# "):
        raise UserError(f"{entry.page}: must begin with a line `# Title`")
    statement, mark, sections = rest.strip("\n").partition("\n## ")
    seen, others = _first_section(entry, (mark + sections).strip("\n"))
    parts = [title, _badges(entry), statement.strip("\n"), _smallest_fix(entry), seen, _curves(entry), others]
    parts.append(_scripts(entry))
    return "\n\n".join(part for part in parts if part) + "\n"


def _first_section(entry: Entry, text: str) -> tuple[str, str]:
    """The text up to its second heading of second level, and the rest."""
    page = parse_page(entry.page, text)
    starts = [line for (level, _), line in zip(page.headings, page.heading_lines, strict=True) if level == 2]
    lines = text.split("\n")
    end = starts[1] - 1 if len(starts) > 1 else len(lines)
    return "\n".join(lines[:end]).strip("\n"), "\n".join(lines[end:]).strip("\n")


def _code(text: str) -> str:
    return f"<code>{literal(text)}</code>"


def category_page(category: Category, text: str, code: Callable[[str], str] = _code, line_break: str = "<br>") -> str:
    """The page of a category: its README, or its title, its summary and a table of its entries.

    `code` writes messages in the table.
    """
    if text.strip():
        return text
    head = f"# {category.title}\n\n{category.summary}"
    rows = [
        f"| {cell(entries.seen(entry, code, str))} "
        f"| [{cell(entry.title)}]({entry.id}/README.md){line_break}{cell(entry.summary)} |"
        for entry in category.entries
    ]
    return "\n".join(
        [head, "", f"| {category.texts.word('You see')} | {category.texts.word('Entry')} |", "|---|---|", *rows, ""]
    )


def with_site_fences(text: str, path: Path, texts: Texts = IN_ENGLISH) -> str:
    """The Markdown with the attributes on its fences turned into titles and classes.

    CONTRIBUTING.md lists the attributes. Python-Markdown would not recognise a fence that carries them.
    """
    lines = text.split("\n")
    for fence in parse_page(path, text).fences:
        if fence.attributes:
            line = lines[fence.first_line - 1]
            found = re.search(r"`{3,}|~{3,}", line)
            assert found, line  # markdown-it found a fence here
            lines[fence.first_line - 1] = line[: found.end()] + " " + _fence_options(fence, path, texts)
    return "\n".join(lines)


def with_repository_links(text: str, source: str, published: Collection[str], root: Path) -> str:
    """The Markdown with links that work in the repository turned into links that work on the site.

    A link to a folder, which GitHub follows, leads to the folder's README.md. A link to what the repository holds and
    the site does not show (the program, the tests) becomes plain text. Links that lead nowhere stay, and MkDocs
    reports them.
    """
    for _, link in parse_page(root / source, text).links:
        target, mark, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if not target or "://" in target:
            continue
        if path.endswith(".py") and f"{path.removesuffix('.py')}.md" in published:
            text = text.replace(f"]({link})", f"]({target.removesuffix('.py')}.md{mark}{anchor})")
            continue
        if path in published:
            continue
        if posixpath.join(path, "README.md") in published:
            text = text.replace(f"]({link})", f"]({posixpath.join(target, 'README.md')}{mark}{anchor})")
        elif (root / path).exists():
            text = re.sub(rf"\[([^\]]*)\]\({re.escape(link)}\)", r"\1", text)
    return text


def _fence_options(fence: Fence, path: Path, texts: Texts) -> str:
    """What follows the marks of a fence, in the form of superfences."""
    classes = [fence.language] if fence.language else []
    options = {name: fence.attributes[name] for name in _KEPT_ATTRIBUTES if name in fence.attributes}
    title = fence_title(fence, path, texts)
    if title:
        options["title"] = title
    if entries.quotes_message(fence) or {"match", "prompt", "filled"} & set(fence.attributes):
        classes.append("message")  # long lines are wrapped
    words = [f".{name}" for name in classes] + [f'{name}="{value}"' for name, value in options.items()]
    return "{ " + " ".join(words) + " }" if words else ""


def fence_title(fence: Fence, path: Path, texts: Texts) -> str | None:
    """Where the text of a block comes from, as its attributes say; None where they say nothing of it."""
    if "recorded" in fence.attributes:
        recording = _quoted_recording(path, fence.attributes["recorded"])
        if not recording.is_file():
            return texts.word(entries.NOT_RECORDED)
        return texts.word("recorded with {version}", version=entries.torch_version(Recording.load(recording)))
    if "seen" in fence.attributes:
        wording = _WORDING.fullmatch(fence.attributes["seen"])
        if wording:
            return texts.word("wording of {version}, {report}", **wording.groupdict())
        return texts.word("seen with {version}", version=fence.attributes["seen"])
    if "version" in fence.attributes:
        return texts.word("seen with {version}", version=f"torch {fence.attributes['version']}")
    if "verdicts" in fence.attributes:
        return texts.word("prints after each script")
    return texts.word("prints") if "printed" in fence.attributes else None


def _quoted_recording(path: Path, name: str) -> Path:
    """The recording that a page quotes: of the entry that lies beside it, or of the one that it names."""
    entry, slash, file = name.rpartition("/")
    if not slash:
        return path.parent / name
    root = next(folder for folder in path.parents if (folder / CATALOG_FILE).is_file())
    return next((root / ENTRIES_FOLDER).glob(f"*/{entry}/{file}"), path.parent / name)


def _smallest_fix(entry: Entry) -> str:
    if entry.fields.fix is None:
        return ""
    before, _, after = entry.texts.word("Smallest fix: {fix}", fix="\0").partition("\0")
    return f"<strong>{before}</strong>{entry.fields.fix}{after}\n{{: .smallest-fix data-search-exclude }}"


def _badges(entry: Entry) -> str:
    badges = [_badge(entries.kind_word(entry)), f"[{plain(entry.category_title)}](../README.md){{ .badge }}"]
    badges += [_badge(need) for need in entries.need_words(entry)]
    badges.append(_badge(entries.verified_words(entry)))
    badges.append(f'<a class="badge" href="index.md">{entry.texts.word("as Markdown")}</a>')
    return "\n".join([*badges, "{: .badges data-search-exclude }"])


def _badge(text: str) -> str:
    return f'<span class="badge">{literal(text)}</span>'


def _curves(entry: Entry) -> str:
    if not isinstance(entry.fields, SilentEntry) or not entry.fields.curve:
        return ""
    curve = entry.fields.curve
    series = []
    for variant in ("broken", "fixed"):
        recording = entries.recording(entry, variant)
        if recording is None:
            return f"{not_recorded(entry).capitalize()}\n{{: .environment }}"
        for name in curve.y:
            points = recording.series(name, curve.x)
            if not points:
                raise UserError(f"{entry.recording(variant)}: no line with {curve.x}= and {name}=, as `curve` promises")
            series.append(Series(variant, name, points))
    return figure(series, curve.x, log=curve.log, texts=entry.texts)


def not_recorded(entry: Entry) -> str:
    return entry.texts.word("{what}.", what=entry.texts.word(entries.NOT_RECORDED))


def _scripts(entry: Entry) -> str:
    """The tabs. Left out of the search: every word of weight in them stands on the page, and they are most of it."""
    word = entry.texts.word
    tabs = [_tab(word(_TABS[variant]), _script(entry, variant)) for variant in entry.variants]
    tabs.append(_tab(word("Diff"), _fence(entry.diff(), "diff")))
    tabs.append(_tab(word("Output"), "\n\n".join(_output(entry, variant) for variant in entry.variants)))
    return "\n\n".join([f"## {word('Scripts')} {{ #scripts data-search-exclude }}", *tabs])


def _tab(label: str, content: str) -> str:
    return f'=== "{label}"\n\n{textwrap.indent(content, "    ")}'


def _script(entry: Entry, variant: Variant) -> str:
    """Link to the file, a button that copies it, and its text with the guilty lines marked."""
    path = entry.script(variant)
    source = read(path)
    return _file(path, source, entry.texts, " ".join(str(line) for line in marked_lines(source)))


def _file(path: Path, source: str, texts: Texts, marked: str = "") -> str:
    # Material's own button drops the line end of the file; its script serves this attribute as it is.
    button = f'<button type="button" class="copy" data-clipboard-text="{literal(source)}">{texts.word("Copy")}</button>'
    head = f"[{path.name}]({path.name}) {button}\n{{: .file }}"
    return f"{head}\n\n{_fence(source, 'python', 'no-copy', hl_lines=marked)}"


def _output(entry: Entry, variant: Variant) -> str:
    """The recording as a terminal shows it, with where it was made below."""
    recording = entries.recording(entry, variant)
    if recording is None:
        return f"`python {variant}.py`: {not_recorded(entry)}\n{{: .environment }}"
    shown = _fence(f"$ python {recording.script}\n{recording.body}", "text")
    return f"{shown}\n\n{literal(environment(recording, entry.texts))}\n{{: .environment }}"


def environment(recording: Recording, texts: Texts) -> str:
    """How a recorded run ended, and where it was made."""
    return texts.word("exit status {status}, {environment}", status=recording.status, environment=recording.environment)


def _fence(text: str, language: str, *classes: str, **options: str) -> str:
    """A fenced block whose marks are longer than any in the text."""
    marks = fence_marks(text)
    words = [f".{name}" for name in (language, *classes)]
    words += [f'{name}="{value}"' for name, value in options.items() if value]
    return f"{marks} {{ {' '.join(words)} }}\n{text.rstrip()}\n{marks}"


def read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error})") from None


def _files_below(root: Path, folder: str) -> list[str]:
    """Files of a folder that the site publishes, a README.md before what lies beside and below it."""
    paths = [path.relative_to(root) for path in (root / folder).rglob("*") if path.is_file()]
    shown = [
        path
        for path in paths
        if not path.name.endswith(".zh.md") and not any(part.startswith((".", "__")) for part in path.parts)
    ]
    return [path.as_posix() for path in sorted(shown, key=lambda p: (p.parent, p.name != "README.md", p.name))]


def category_source(category: str) -> str:
    return f"{ENTRIES_FOLDER}/{category}/README.md"


def entry_source(entry: Entry) -> str:
    return f"{ENTRIES_FOLDER}/{entry.category}/{entry.id}/README.md"
