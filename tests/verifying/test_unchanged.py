"""`make test` leaves out entries that held, until something that their result depends on changes."""

import pytest

from tests.samples import edit
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
def test_a_changed_file_of_the_folder_makes_it_run_again(sample, entry, path, name):
    with (entry.folder / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert HeldEntries(path, sample.catalog(), "3 seeds").row(entry) is None


def test_a_renamed_file_makes_it_run_again(sample, entry, path):
    (entry.folder / "README.md").rename(entry.folder / "README.txt")
    assert HeldEntries(path, sample.catalog(), "3 seeds").row(entry) is None


def test_a_renamed_entry_runs_again(sample, entry, path):
    """Its row has the former id."""
    entry.folder.rename(entry.folder.with_name("renamed"))
    edit(sample.index, f"{entry.id}:", "renamed:")
    assert HeldEntries(path, sample.catalog(), "3 seeds").row(sample.entry("renamed")) is None


def test_changed_patterns_of_a_different_entry_make_it_run_again(sample, guide, entry, path):
    """They may match its message now."""
    other = next(other for other in guide if other.id != entry.id)
    (other.folder / "entry.yaml").write_text((other.folder / "entry.yaml").read_text() + "# changed\n")
    assert HeldEntries(path, sample.catalog(), "3 seeds").row(entry) is None


def test_other_options_a_new_torch_and_a_changed_program_make_it_run_again(guide, entry, path, monkeypatch, tmp_path):
    assert HeldEntries(path, guide, "10 seeds").row(entry) is None
    module = "torch_errors.verifying.unchanged"
    with monkeypatch.context() as patch:
        patch.setattr(f"{module}.version", lambda package: "2.99.0")
        assert HeldEntries(path, guide, "3 seeds").row(entry) is None
    (tmp_path / "runner.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(f"{module}.PACKAGE", tmp_path)
    assert HeldEntries(path, guide, "3 seeds").row(entry) is None


def test_entries_that_did_not_hold_or_were_skipped_run_again(guide, entry, path):
    path.unlink()
    HeldEntries(path, guide, "").write([(entry, HELD | {"state": "not held"})])
    HeldEntries(path, guide, "").write([(entry, HELD | {"state": "skipped"})])
    assert HeldEntries(path, guide, "").row(entry) is None


@pytest.mark.parametrize("text", ["[", "3", "[1]", '"x"'])
def test_an_invalid_file_is_refused(guide, path, text):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"held\.json: is not what verification wrote .*; remove it"):
        HeldEntries(path, guide, "3 seeds")
