"""The report of a watched run: one HTML file that opens without a network, in the colors that the reader prefers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from statistics import median

from torch_errors.curves import Mark, Series, figure
from torch_errors.languages import Texts
from torch_errors.watching.course import PHASES, SAMPLE, Course, Points

# Kinds of printed numbers that are drawn; the others, such as learning rates, are recorded here or are no curves.
METRICS = {
    "loss": "loss",
    "accuracy": "accuracy",
    "error": "prediction error",
    "reward": "reward",
    "entropy": "entropy",
}
# Names of the other series that `Course` records, as they are shown.
UPDATES = {
    "largest": "largest of the parameters",
    "median": "median of the parameters",
    "smallest": "smallest of the parameters",
}
MEMORY = ("process", "tensors on the GPU")
# Ratio of the largest to the smallest number from which an axis is logarithmic, and rows of the table of parameters.
WIDE, MOST_ROWS = 50, 60
# Share of the steps within which two marks share a label.
NEAR = 0.06


@dataclass(frozen=True)
class Told:
    """A finding as it is told, in the reader's language."""

    id: str
    title: str
    place: str
    text: str
    certainty: str
    fix: str
    step: int


def report(
    course: Course,
    found: Sequence[Told],
    fine: Sequence[str],
    unseen: Mapping[str, Sequence[str]],
    suppressed: Sequence[str],
    program: str,
    texts: Texts,
) -> str:
    """The report as HTML. `fine`: titles of what was looked for and not found.

    `unseen`: what the run lacks -> titles of what needs it.
    """
    word, run = texts.word, course.run
    title = word("Watched run of {program}", program=program) if program else word("Watched run")
    counts = word(
        "watched {steps} optimizer steps and {backwards} backward passes",
        steps=f"{run.steps:,}",
        backwards=f"{run.backwards:,}",
    )
    figures = _Figures(_marks(found, run.steps), texts)
    parts = [
        "<!doctype html>",
        f'<html lang="{texts.language}"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(title)}</title><style>{_style()}</style></head><body><main>",
        f"<h1>{escape(title)}</h1><p>{escape(counts)} · {_duration(course.seconds)}</p>",
        f"<h2>{escape(word('What was found'))}</h2>",
        _findings(found, suppressed, texts),
        *_curves(course, figures, texts),
        _times(course, figures, texts),
        _parameters(course, texts),
        _looked_at(fine, unseen, texts),
        "</main></body></html>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _marks(found: Sequence[Told], steps: int) -> list[Mark]:
    """A mark at the step of each finding, with its number. Marks that are close share the label of the first."""
    groups: list[list[tuple[int, Told]]] = []
    for number, one in sorted(enumerate(found, 1), key=lambda pair: pair[1].step):
        if groups and one.step - groups[-1][0][1].step < NEAR * steps:
            groups[-1].append((number, one))
        else:
            groups.append([(number, one)])
    return [
        Mark(one.step, ", ".join(str(n) for n, _ in group) if at == 0 else "", f"{number}: {one.place}{one.id}")
        for group in groups
        for at, (number, one) in enumerate(group)
    ]


@cache
def _style() -> str:
    return Path(__file__).with_name("report.css").read_text(encoding="utf-8")


class _Figures:
    """Draws the figures of one page, each with its own ids."""

    def __init__(self, marks: Sequence[Mark], texts: Texts) -> None:
        self._marks = marks
        self._texts = texts
        self._count = 0

    def draw(self, heading: str, curves: Mapping[str, Iterable[tuple[int, float]]], y: str, note: str = "") -> str:
        """A figure with a heading, a curve for each label and a mark for each finding. `y`: name of that axis."""
        named = {label: [(float(x), y) for x, y in points] for label, points in curves.items()}
        named = {label: points for label, points in named.items() if points}
        if not named:
            return ""
        self._count += 1
        values = [y for points in named.values() for _, y in points]
        log = min(values) > 0 and max(values) < float("inf") and max(values) > WIDE * min(values)
        series = [Series(f"c{n}", y, points, label) for n, (label, points) in enumerate(named.items())]
        drawn = figure(
            series, self._texts.word("step"), log=log, marks=self._marks, id=f"figure-{self._count}", texts=self._texts
        )
        below = f"<p>{escape(note)}</p>" if note else ""
        return f"<section><h3>{escape(heading)}</h3>{drawn}{below}</section>"


def _findings(found: Sequence[Told], suppressed: Sequence[str], texts: Texts) -> str:
    word = texts.word
    rows = [
        f"<li><strong>{escape(one.title)}</strong><p>{escape(one.place)}{_code(one.text)} "
        f"({escape(one.certainty)})</p>"
        + (f"<p>{escape(word('{label}: ', label=word('smallest fix')))}{_code(one.fix)}</p>" if one.fix else "")
        + f"<p><code>torch-errors show {escape(one.id)}</code></p></li>"
        for one in found
    ]
    text = f'<ol class="found">{"".join(rows)}</ol>' if rows else ""
    if not rows:
        text = f"<p>{escape(word('nothing found that a run can show'))}</p>"
    if suppressed:
        places = word(", ").join(suppressed)
        text += f"<p>{escape(word('suppressed ({count}): {places}', count=len(suppressed), places=places))}</p>"
    return text


def _curves(course: Course, figures: _Figures, texts: Texts) -> list[str]:
    word, series = texts.word, course.series
    loss = word("loss")
    parts = [figures.draw(word("loss of each step"), {loss: series.get("loss", ())}, loss)]
    by_kind: dict[str, dict[str, Points]] = defaultdict(dict)
    for (name, split, kind), points in course.printed.series.items():
        if kind in METRICS and len(points) > 1:
            by_kind[kind][f"{name}, {split}" if split and split not in name.lower() else name] = points
    for kind, curves in by_kind.items():
        name = word(METRICS[kind])
        parts.append(figures.draw(word("printed: {kind}", kind=name), curves, name))
    rates = _named(series, "learning rate: ")
    parts.append(figures.draw(word("learning rate"), rates, "lr"))
    norms = {word("all parameters"): series.get("gradient norm", ())}
    parts.append(figures.draw(word("gradient norm"), norms, word("norm")))
    updates = {word(UPDATES[name]): points for name, points in _named(series, "update: ").items()}
    note = word("Change of a parameter in a step, relative to its size, from {count} of its numbers.", count=SAMPLE)
    parts.append(figures.draw(word("update relative to the weights"), updates, word("ratio"), note))
    memory = {word(name): series.get(f"memory: {name}", ()) for name in MEMORY}
    parts.append(figures.draw(word("memory"), memory, "MiB"))
    body = "".join(parts)
    return [f"<h2>{escape(word('Course'))}</h2>", f'<div class="figures">{body}</div>'] if body else []


def _named(series: Mapping[str, Points], start: str) -> dict[str, Points]:
    return {name.removeprefix(start): points for name, points in series.items() if name.startswith(start)}


def _times(course: Course, figures: _Figures, texts: Texts) -> str:
    """Where the time went: the sums as bars, and the course of each phase."""
    word = texts.word
    times = _named(course.series, "time: ")
    if not times:
        return ""
    names = {
        "data": word("waiting for data"),
        "forward": word("forward"),
        "backward": word("backward"),
        "step": word("optimizer step"),
        "evaluation": word("forward without gradients"),
    }
    spent = course.run.spent
    rest = max(0.0, course.seconds - sum(spent.values()))
    rows = [
        f"<tr><th>{escape(label)}</th><td>{seconds:.3g} s</td><td>{seconds / course.seconds:.0%}</td>"
        f'<td class="bar"><i style="width:{100 * seconds / course.seconds:.1f}%"></i></td></tr>'
        for label, seconds in [*((names[phase], spent[phase]) for phase in PHASES), (word("everything else"), rest)]
    ]
    per_step = median(seconds for _, seconds in times["whole step"])
    curves = {names[phase]: times[phase] for phase in PHASES if phase in times}
    drawn = figures.draw(word("time of each step"), curves, "s")
    note = word("A GPU computes beside the program: these are the times that the program itself spends or waits.")
    return (
        f"<h2>{escape(word('Time'))}</h2><p>{escape(word('median of a step: {time}', time=_duration(per_step)))}</p>"
        f'<table class="times">{"".join(rows)}</table><p>{escape(note)}</p><div class="figures">{drawn}</div>'
    )


def _parameters(course: Course, texts: Texts) -> str:
    if not course.layers:
        return ""
    word = texts.word
    rows = [
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(' x '.join(map(str, shape)))}</td>"
        f"<td>{norm:.2e}</td><td>{ratio:.1e}</td></tr>"
        for name, (shape, norm, ratio) in list(course.layers.items())[:MOST_ROWS]
    ]
    more = len(course.layers) - len(rows)
    heads = (word("parameter"), word("shape"), word("gradient norm"), word("update relative to the weights"))
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    after = f"<p>{escape(word('{count} more are in the file of --watch-json', count=more))}</p>" if more > 0 else ""
    summary = escape(word("Parameters at the last look ({count})", count=len(course.layers)))
    return (
        f'<details><summary>{summary}</summary><div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>'
        f"{after}</details>"
    )


def _looked_at(fine: Sequence[str], unseen: Mapping[str, Sequence[str]], texts: Texts) -> str:
    word = texts.word

    def listed(summary: str, titles: Sequence[str]) -> str:
        items = "".join(f"<li>{escape(title)}</li>" for title in titles)
        return f"<details><summary>{escape(summary)}</summary><ul>{items}</ul></details>" if titles else ""

    parts = [listed(word("Looked for and not found ({count})", count=len(fine)), fine)]
    for need, titles in unseen.items():
        text = word("Not seen, since the run lacks {need} ({count})", need=need, count=len(titles))
        parts.append(listed(text, titles))
    return f"<h2>{escape(word('What was looked at'))}</h2>" + "".join(parts)


def _code(text: str) -> str:
    """Escape a text and set what is in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{1000 * seconds:.3g} ms"
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest:.0f} s" if minutes else f"{rest:.3g} s"
