"""Verifies entries and the other pages of the guide together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.maintaining.documents import DocumentResult, document_jobs
from torch_errors.maintaining.verify import Result, entry_jobs, run_jobs
from torch_errors.running.runner import Runner


def verify_guide(
    entries: Sequence[Entry],
    documents: Sequence[Path],
    catalog: Catalog,
    runner: Runner,
    seeds: int = 1,
    progress: Callable[[int, int], None] = lambda done, all: None,
) -> tuple[list[Result], list[DocumentResult]]:
    """What `verify` and `verify_documents` say, with all scripts and blocks in one pool: no core waits in between.

    `progress` is called with the number of finished runs and of all runs.
    """
    with (
        document_jobs(documents, catalog, runner) as (pages, page_jobs),
        entry_jobs(entries, runner, seeds) as (results, script_jobs),
    ):
        run_jobs(runner, script_jobs | page_jobs, progress)
    return results, pages
