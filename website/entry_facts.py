"""What several pages of the site say of an entry: its kind, what it needs, and what its recordings show."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.fields import EntryKind, SilentEntry, Variant
from torch_errors.errors import UserError
from torch_errors.markdown.parsing import Fence, parse_page
from torch_errors.running.recordings import Recording
from torch_errors.running.versions import Versions, short

KINDS: dict[EntryKind, str] = {"exception": "exception", "warning": "warning", "silent": "silent failure"}
NEEDS: dict[str, str] = {
    "cuda": "needs a CUDA GPU",
    "mps": "needs an Apple GPU",
    "posix": "needs Linux or macOS",
    "linux": "needs Linux",
    "windows": "needs Windows",
    "namespaces": "needs Linux, and root or user namespaces",
    "compiler": "needs ninja and a C++ compiler",
}
# Of an entry that needs what most machines lack; the page says at its head what that is.
NOT_RECORDED = "not recorded yet"
# Longest message in a table, in characters.
_LONGEST = 160


@dataclass(frozen=True)
class Sight:
    """What a reader sees of an error, on one line."""

    text: str  # the recorded message, or `name=value` of a silent failure
    healthy: str | None = None  # of a silent failure: the range in which the number should lie


def sight(entry: Entry) -> Sight | None:
    """What tells the entry apart in a table: the recorded message or number.

    Where the page opens with a message of other hardware, that one, which readers have seen. Before it was recorded,
    the first message that its page quotes; None where it quotes none. Raises UserError where the recording does not
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
    """What the reader sees, as markup: `code` writes a message, `text` what the catalog says."""
    shown = sight(entry)
    if shown is None:
        return text(entry.summary)
    if shown.healthy is None:
        return code(shown.text)
    return entry.texts.word("no error; {shown}, healthy {healthy}", shown=code(shown.text), healthy=text(shown.healthy))


def quoted_messages(entry: Entry) -> list[str]:
    """The messages on the page of an entry, each on one line; the recorded one also where only part of it is quoted."""
    texts = [fence.text for fence in parse_page(entry.page).fences if quotes_message(fence)]
    recorded = recording(entry, "broken")
    if recorded and not isinstance(entry.fields, SilentEntry):
        first = recorded.message(entry.fields).splitlines()[0]
        texts += [] if any(first in text for text in texts) else [first]
    return list(dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()))


def quotes_message(fence: Fence) -> bool:
    """Whether a block of a page holds a message, of this or of another version of torch."""
    return fence.attributes.get("part") == "message" or bool({"seen", "version"} & set(fence.attributes))


def recording(entry: Entry, variant: Variant) -> Recording | None:
    """The recording, or None where the entry needs hardware and nobody has recorded it yet."""
    path = entry.recording(variant)
    return None if entry.rare and not path.exists() else Recording.load(path)


def torch_version(recording: Recording) -> str:
    """`torch 2.15.0` without the build (`+cu132`), which says nothing to the reader."""
    return f"torch {recording.torch.partition('+')[0]}"


def kind_word(entry: Entry) -> str:
    """The kind of the entry, in its language."""
    return entry.texts.word(KINDS[entry.kind])


def need_words(entry: Entry) -> list[str]:
    """What the scripts of the entry cannot run without, in its language."""
    word = entry.texts.word
    return [
        word(NEEDS[need]) if need in NEEDS else word("needs the package {name}", name=need) for need in entry.requires
    ]


def verified_words(entry: Entry) -> str:
    """With which versions of torch and on which device the entry was verified."""
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
