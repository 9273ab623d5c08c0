"""Facts about an entry that several pages of the site show: kind, requirements, message, verified versions."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.fields import EntryKind, SilentEntry, Variant
from torch_errors.curves import Series
from torch_errors.errors import UserError
from torch_errors.markdown.parsing import Fence, parse_page
from torch_errors.running.recordings import Recording
from torch_errors.running.versions import Versions, short

KINDS: dict[EntryKind, str] = {"exception": "exception", "warning": "warning", "silent": "silent failure"}
NEEDS: dict[str, str] = {
    "cuda": "needs a CUDA GPU",
    "mps": "needs an Apple GPU",
    "xpu": "needs the build of PyTorch for Intel GPUs",
    "posix": "needs Linux or macOS",
    "linux": "needs Linux",
    "windows": "needs Windows",
    "namespaces": "needs Linux, and root or user namespaces",
    "compiler": "needs ninja and a C++ compiler",
    "multicore": "needs at least two CPU cores",
}
# Shown for an entry that needs rare hardware; the top of its page lists its requirements.
NOT_RECORDED = "not recorded yet"
# Maximum length of a message in a table, in characters.
_LONGEST = 160


@dataclass(frozen=True)
class Sight:
    """What a reader sees of an error, in one line."""

    text: str  # recorded message, or `name=value` for a silent failure
    healthy: str | None = None  # range of healthy values; None unless it is a silent failure


def sight(entry: Entry) -> Sight | None:
    """Return what a table shows of the entry: the recorded message or number.

    If the page starts with a message from a report of other hardware, that message is returned. If the entry has not
    been recorded, it is the first message that the page quotes, or None. Raises UserError if the recording does not
    show what the catalog promises.
    """
    recorded = recording(entry, "broken")
    first = next((fence for fence in parse_page(entry.page).fences if fence.language == "text"), None)
    try:
        if first and "seen" in first.attributes:
            message = first.text.strip()
        else:
            message = recorded.message(entry.promise("broken")) if recorded else next(iter(quoted_messages(entry)), "")
    except UserError as error:
        raise UserError(
            f"{entry.recording('broken')}: {error}; `torch-errors record {entry.id}` refreshes it"
        ) from None
    if not message:
        return None
    healthy = str(entry.fields.measure.healthy) if isinstance(entry.fields, SilentEntry) else None
    return Sight(textwrap.shorten(message.splitlines()[0], _LONGEST, placeholder=" …"), healthy)


def seen(entry: Entry, code: Callable[[str], str], text: Callable[[str], str]) -> str:
    """Return what the reader sees, as markup: `code` formats messages, `text` formats texts of the catalog."""
    shown = sight(entry)
    if shown is None:
        return text(entry.summary)
    if shown.healthy is None:
        return code(shown.text)
    return entry.texts.word("no error; {shown}, healthy {healthy}", shown=code(shown.text), healthy=text(shown.healthy))


def quoted_messages(entry: Entry) -> list[str]:
    """Return the messages on an entry's page, each in one line, and the recorded one even if it isn't fully quoted."""
    texts = [fence.text for fence in parse_page(entry.page).fences if quotes_message(fence)]
    recorded = recording(entry, "broken")
    if recorded and not isinstance(entry.fields, SilentEntry):
        first = recorded.message(entry.fields).splitlines()[0]
        texts += [] if any(first in text for text in texts) else [first]
    return list(dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()))


def quotes_message(fence: Fence) -> bool:
    """Whether a block of a page contains a message, from any version of torch."""
    return fence.attributes.get("part") == "message" or bool({"seen", "version"} & set(fence.attributes))


def recording(entry: Entry, variant: Variant) -> Recording | None:
    """Return the recording, or None if the entry needs rare hardware and has not been recorded yet."""
    path = entry.recording(variant)
    return None if entry.rare and not path.exists() else Recording.load(path)


def torch_version(recording: Recording) -> str:
    """Return the version, such as `torch 2.15.0`, without the build (`+cu132`), which readers don't need."""
    return f"torch {recording.torch.partition('+')[0]}"


def kind_word(entry: Entry) -> str:
    """Return the kind of the entry, in the language of the entry's texts."""
    return entry.texts.word(KINDS[entry.kind])


def need_words(entry: Entry) -> list[str]:
    """Return the requirements of the entry's scripts, in the language of the entry's texts."""
    word = entry.texts.word
    return [
        word(NEEDS[need]) if need in NEEDS else word("needs the package {name}", name=need) for need in entry.requires
    ]


def verified_words(entry: Entry) -> str:
    """Return with which versions of torch and on which device the entry was verified."""
    recorded, versions, word = recording(entry, "broken"), Versions.load(entry), entry.texts.word
    if recorded is None:
        return word("not verified yet")
    held = [short(version) for version in versions.held]
    if len(held) < 2:
        return word("last verified: {version}, {device}", version=torch_version(recorded), device=recorded.device)
    values = {"first": held[0], "last": held[-1], "device": recorded.device}
    if versions.exceptions:
        others = ", ".join(map(short, versions.exceptions))
        return word("verified with torch {first} to {last} except {others}, {device}", **values, others=others)
    return word("verified with torch {first} to {last}, {device}", **values)


def recorded_series(entry: Entry, x: str, names: Sequence[str]) -> list[Series]:
    """Return what broken.py and fixed.py printed under these names; empty if one of them has not been recorded.

    Raises UserError if a recording has no such line.
    """
    series = []
    variants: tuple[Variant, ...] = ("broken", "fixed")
    for variant in variants:
        recorded = recording(entry, variant)
        if recorded is None:
            return []
        for name in names:
            points = recorded.series(name, x)
            if not points:
                raise UserError(f"{entry.recording(variant)}: no line with {x}= and {name}=, as `curve` promises")
            series.append(Series(variant, name, points, f"{variant}.py, {name}"))
    return series
