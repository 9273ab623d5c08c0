"""`versions.yaml`: adding a version keeps the results of the others, and pages quote the messages in it."""

from __future__ import annotations

import pytest

from tests.samples import BROADCAST, DIVERGE, SHAPES, VIEWED, Sample
from torch_errors.errors import UserError
from torch_errors.running.pool import Runner
from torch_errors.running.versions import VERSIONS_FILE, Versions
from torch_errors.verifying.files import check_files
from torch_errors.verifying.verify import verify
from website.entry_facts import verified_words

OLD, NEW = "RuntimeError: mat1 and mat2", "RuntimeError: addmm: mat1 and mat2"


def test_a_message_is_listed_at_the_version_where_it_changes() -> None:
    versions = Versions()
    for version, message in [("2.15.0", NEW), ("2.6.0", OLD), ("2.10.0", OLD), ("2.9.1", OLD)]:
        versions = versions.with_result(version, "held", message)
    assert dict(versions.messages) == {"2.6.0": OLD, "2.15.0": NEW}
    assert [versions.message(version) for version in ("2.9.1", "2.10.0", "2.15.0", "2.5.0")] == [OLD, OLD, NEW, None]
    changed = versions.with_result("2.10.0", "held", NEW)
    assert dict(changed.messages) == {"2.6.0": OLD, "2.10.0": NEW} and list(changed.results)[-1] == "2.15.0"
    assert versions.with_result("2.10.0", "held", OLD) == versions


def test_addresses_do_not_count_as_changes_of_a_message() -> None:
    versions = (
        Versions().with_result("2.6.0", "held", "object at 0x7f01").with_result("2.7.1", "held", "object at 0x9c02")
    )
    assert list(versions.messages) == ["2.6.0"]


def test_a_written_file_is_read_back(sample: Sample) -> None:
    entry = sample.entry(SHAPES)
    versions = Versions().with_result("2.6.0", "not held: broken.py: 张量", None).with_result("2.15.0", "held", NEW)
    versions.write(entry.folder)
    assert Versions.load(entry) == versions
    for text in ("[", "versions: 3", "versions: {2.6: held}", "messages: {}"):
        (entry.folder / VERSIONS_FILE).write_text(text)
        with pytest.raises(UserError, match=r"versions\.yaml: not what `make versions` writes"):
            Versions.load(entry)


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ({}, "last verified: torch 2"),
        ({"2.15.0": "held"}, "last verified: torch 2"),
        ({"2.6.0": "held", "2.15.0": "held"}, "verified with torch 2.6 to 2.15, CPU"),
        ({"2.6.0": "not held: x", "2.7.1": "held", "2.15.0": "held"}, "verified with torch 2.7 to 2.15, CPU"),
        (
            {"2.6.0": "held", "2.7.1": "skipped: y", "2.10.0": "not held: x", "2.15.0": "held"},
            "verified with torch 2.6 to 2.15 except 2.7, 2.10, CPU",
        ),
    ],
)
def test_verified_versions_on_the_page(results: dict[str, str], words: str, sample: Sample) -> None:
    versions = Versions()
    for version, result in results.items():
        versions = versions.with_result(version, result, None)
    versions.write(sample.entry(SHAPES).folder)
    assert verified_words(sample.entry(SHAPES)).startswith(words)


def test_a_page_quotes_the_message_of_a_version(sample: Sample) -> None:
    sample.edit(SHAPES, "README.md", "No other wording is known.", f'```text version="2.6.0"\n{OLD}\n```')
    entry = sample.entry(SHAPES)

    def found() -> list[str]:
        return [finding.problem for finding in check_files(entry) if finding.where.startswith("README.md")]

    assert len(found()) == 1 and "no message of torch 2.6.0" in found()[0]
    Versions().with_result("2.6.0", "held", OLD).write(entry.folder)
    assert found() == []
    sample.edit(SHAPES, "README.md", f"\n{OLD}\n", f"\n{NEW}\n")
    assert len(found()) == 1 and "is not what was recorded" in found()[0]


def test_verification_returns_the_message(sample: Sample, runner: Runner) -> None:
    entries = [sample.entry(id) for id in (VIEWED, BROADCAST, DIVERGE)]
    messages = {result.entry.id: result.message for result in verify(entries, runner)}
    assert messages[VIEWED] == "RuntimeError: shape '[2, 3]' is invalid for input of size 4"
    assert "UserWarning: Using a target size" in (messages[BROADCAST] or "")
    assert messages[DIVERGE] is None
