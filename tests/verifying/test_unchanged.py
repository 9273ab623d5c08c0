"""What `make test` leaves out: entries that held before, as long as nothing that decides it has changed."""

import pytest

from torch_errors.errors import UserError
from torch_errors.verifying.unchanged import HeldEntries

HELD = {"state": "held", "id": "one"}


@pytest.fixture
def guide(sample):
    return sample.catalog()


@pytest.fixture
def entry(guide):
    return next(iter(guide))


@pytest.fixture
def path(tmp_path, guide, entry):
    path = tmp_path / "held.json"
    HeldEntries(path, guide, "3 seeds").write([(entry, HELD)])
    return path


def test_an_entry_that_held_is_left_out(guide, entry, path):
    held = HeldEntries(path, guide, "3 seeds")
    assert held.row(entry) == HELD
    assert [held.row(other) for other in guide if other.id != entry.id] == [None] * (len(guide) - 1)


@pytest.mark.parametrize("name", ["broken.py", "README.md", "recorded/broken.out", "entry.yaml"])
def test_not_after_a_file_of_its_folder_has_changed(sample, entry, path, name):
    with (entry.folder / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert HeldEntries(path, sample.catalog(), "3 seeds").row(entry) is None


def test_not_after_a_file_was_renamed(sample, entry, path):
    (entry.folder / "README.md").rename(entry.folder / "README.txt")
    assert HeldEntries(path, sample.catalog(), "3 seeds").row(entry) is None


def test_not_after_the_entry_was_renamed(sample, entry, path):
    """Its row has the earlier id."""
    entry.folder.rename(entry.folder.with_name("renamed"))
    index = sample.root / "catalog.yaml"
    index.write_text(index.read_text(encoding="utf-8").replace(f"{entry.id}:", "renamed:"), encoding="utf-8")
    assert HeldEntries(path, sample.catalog(), "3 seeds").row(sample.entry("renamed")) is None


def test_not_after_the_patterns_of_another_entry_have_changed(sample, guide, entry, path):
    """They may answer its message now."""
    other = next(other for other in guide if other.id != entry.id)
    (other.folder / "entry.yaml").write_text((other.folder / "entry.yaml").read_text() + "# changed\n")
    assert HeldEntries(path, sample.catalog(), "3 seeds").row(entry) is None


def test_not_with_other_options_another_torch_or_another_program(guide, entry, path, monkeypatch, tmp_path):
    assert HeldEntries(path, guide, "10 seeds").row(entry) is None
    module = "torch_errors.verifying.unchanged"
    with monkeypatch.context() as patch:
        patch.setattr(f"{module}.version", lambda package: "2.99.0")
        assert HeldEntries(path, guide, "3 seeds").row(entry) is None
    (tmp_path / "runner.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(f"{module}.PACKAGE", tmp_path)
    assert HeldEntries(path, guide, "3 seeds").row(entry) is None


def test_what_did_not_hold_or_was_skipped_runs_again(guide, entry, path):
    path.unlink()
    HeldEntries(path, guide, "").write([(entry, HELD | {"state": "not held"})])
    HeldEntries(path, guide, "").write([(entry, HELD | {"state": "skipped"})])
    assert HeldEntries(path, guide, "").row(entry) is None


@pytest.mark.parametrize("text", ["[", "3", "[1]", '"x"'])
def test_a_file_that_says_something_else_is_named(guide, path, text):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"held\.json: is not what verification wrote .*; remove it"):
        HeldEntries(path, guide, "3 seeds")
