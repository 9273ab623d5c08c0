"""Curves as inline SVGs that follow the page's colors: of a silent entry or of a watched run; a figure, a miniature.

Plotting libraries bring either their own style sheet and scripts (pygal) or thirty times the size of the site
(matplotlib), and these figures need only lines, ticks and a text alternative.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise

from torch_errors.languages import IN_ENGLISH, Texts

Point = tuple[float, float]

# Size and margins of the drawing in SVG units. It is narrow, so that the text stays readable on a phone.
WIDTH, HEIGHT = 400, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 18, 10, 38
# Longest curve, in points, with a mark for each point; more marks would hide the line.
MARKED_POINTS = 60

# The same of a miniature, and the height of a line and the width of a letter of its text.
SMALL_WIDTH, SMALL_HEIGHT = 160, 92
SMALL_LEFT, SMALL_EDGE = 36, 7
SMALL_LINE, SMALL_LETTER = 11, 5.8

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Series:
    """The values of one name."""

    kind: str  # class of the drawn line, which gives its color, such as `broken` or `fixed`
    name: str  # name of the value, such as loss
    points: Sequence[Point]
    label: str  # what the legend says


@dataclass(frozen=True)
class Mark:
    """A place on the horizontal axis that is marked by a line and a short label above it."""

    x: float
    label: str
    title: str  # what is shown when the pointer rests on it


def figure(
    series: Sequence[Series],
    x: str,
    *,
    log: bool = False,
    marks: Sequence[Mark] = (),
    id: str = "curves",
    texts: Texts = IN_ENGLISH,
) -> str:
    """Return the HTML of a figure: the drawing, its legend, and notes on points that could not be drawn.

    `x`: name of the horizontal axis. `id`: start of the ids in the figure, unique on its page. Points that are not
    finite, or not above zero with `log`, interrupt the line and are listed in the caption. The result contains no empty
    line, so that Markdown treats it as one block.
    """
    names = list(dict.fromkeys(curve.name for curve in series))
    drawn = [point for curve in series for run in runs(curve.points, log) for point in run]
    x_ticks = linear_ticks([px for px, _ in drawn], 6)
    y_ticks = (log_ticks if log else linear_ticks)([py for _, py in drawn], 5)
    across = _scale([*x_ticks, *(px for px, _ in drawn), *(mark.x for mark in marks)], LEFT, WIDTH - RIGHT)
    up = _scale([*y_ticks, *(py for _, py in drawn)], HEIGHT - BOTTOM, TOP, log=log)

    y_title = ", ".join(names)
    y_title = texts.word("{names} (logarithmic)", names=y_title) if log else y_title
    parts = [
        '<figure class="curves">',
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{id}-title {id}-desc">',
        f'<title id="{id}-title">{escape(texts.word("{y} by {x}, as recorded", y=y_title, x=x))}</title>',
        f'<desc id="{id}-desc">{escape(describe(series, x, texts))}</desc>',
    ]
    bottom = HEIGHT - BOTTOM
    for tick in y_ticks:
        parts.append(f'<path class="grid" d="M{LEFT} {up(tick):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick_label(tick, log)}</text>')
    for tick in x_ticks:
        parts.append(f'<path class="axis" d="M{across(tick):.1f} {bottom}v4"/>')
        parts.append(
            f'<text x="{across(tick):.1f}" y="{bottom + 17}" text-anchor="middle">{tick_label(tick, False)}</text>'
        )
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}"/>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:g}" y="{HEIGHT - 4}" text-anchor="middle">{escape(x)}</text>')
    turned = f"translate(12 {(TOP + bottom) / 2:g}) rotate(-90)"
    parts.append(f'<text transform="{turned}" text-anchor="middle">{escape(y_title)}</text>')
    for curve in series:
        parts.append(_line(curve, x, names.index(curve.name), across, up, log))
    for mark in marks:
        parts.append(
            f'<g class="mark"><title>{escape(mark.title)}</title><path d="M{across(mark.x):.1f} {TOP}V{bottom}"/>'
            f'<text x="{across(mark.x) + 3:.1f}" y="{TOP + 10}">{escape(mark.label)}</text></g>'
        )
    parts.append("</svg>")
    parts.append(f"<figcaption>{_legend(series, names)}{_notes(series, x, log, texts)}</figcaption>")
    parts.append("</figure>")
    return "\n".join(parts)


def miniature(
    broken: Sequence[Series],
    fixed: Sequence[Series],
    x: str,
    *,
    log: bool = False,
    level: tuple[float, str] | None = None,
    stairs: bool = False,
    texts: Texts = IN_ENGLISH,
) -> str:
    """Return a small drawing to recognize a curve by: its shape, its range, and where it is no longer a number.

    `broken`: the curves to recognize; `fixed`: curves drawn faintly, for comparison; `x`: name of the horizontal axis;
    `level`: a value to mark with a line, and its name; `stairs`: whether a value lasts until the next.
    """
    points = [point for curve in [*broken, *fixed] for point in curve.points]
    drawn = [py for px, py in points if _drawable((px, py), log)] + ([level[0]] if level else [])
    across = _scale([px for px, _ in points], SMALL_LEFT, SMALL_WIDTH - SMALL_EDGE)
    low, high = min(drawn), max(drawn)
    bottom = SMALL_HEIGHT - SMALL_EDGE
    up = _scale([low, high if high > low else low + 1], bottom, SMALL_EDGE, log=log)
    described = f"{describe(broken, x, texts)} {_notes(broken, x, log, texts, tags=False)}".strip()
    size = f'viewBox="0 0 {SMALL_WIDTH} {SMALL_HEIGHT}"'
    parts = [
        f'<svg class="miniature" {size} role="img" aria-label="{escape(described)}">',
        f'<path class="axis" d="M{SMALL_LEFT} {SMALL_EDGE}V{bottom}H{SMALL_WIDTH - SMALL_EDGE}"/>',
    ]
    parts += [
        f'<text x="{SMALL_LEFT - 4}" y="{up(value) + shift:.1f}" text-anchor="end">{_short(value)}</text>'
        for value, shift in ([(low, 2.0), (high, 6.0)] if high > low else [(low, 2.0)])
    ]
    if level:
        height = f"{up(level[0]):.1f}"
        parts.append(f'<path class="level" d="M{SMALL_LEFT} {height}H{SMALL_WIDTH - SMALL_EDGE}"/>')
        parts.append(f'<text x="{SMALL_LEFT + 4}" y="{up(level[0]) + SMALL_LINE:.1f}">{escape(level[1])}</text>')
    paths: dict[str, list[Point]] = {}
    for curve in [*fixed, *broken]:
        style = [one.name for one in broken].index(curve.name)
        parts.append(f'<g class="curve {escape(curve.kind)} style-{style}">')
        for run in runs(curve.points, log):
            paths[curve.name] = [(across(px), up(py)) for px, py in (_stairs(run) if stairs else run)]
            parts.append(f'<polyline points="{" ".join(f"{px:.1f},{py:.1f}" for px, py in paths[curve.name])}"/>')
        parts.append("</g>")
    for curve in broken:
        lost = next((point for point in curve.points if not math.isfinite(point[1])), None)
        if lost:
            at, name = across(lost[0]), "NaN" if math.isnan(lost[1]) else "Inf"
            parts.append(f'<path class="level" d="M{at:.1f} {SMALL_EDGE}V{bottom}"/>')
            parts.append(f'<text class="lost" x="{at + 4:.1f}" y="{SMALL_EDGE + SMALL_LINE}">{name}</text>')
    parts += _names_at_the_end(paths)
    return "".join([*parts, "</svg>"])


def _short(value: float) -> str:
    """Return a number in at most six characters: `0.927`, `2e+15`."""
    shorter = min(f"{value:.3g}", f"{value:.0e}", key=len)
    return re.sub(r"e\+?(-?)0*", r"e\1", shorter).replace("-", "−")


def _stairs(run: Sequence[Point]) -> list[Point]:
    return [run[0], *(p for before, after in pairwise(run) for p in ((after[0], before[1]), after))]


def _names_at_the_end(paths: Mapping[str, Sequence[Point]]) -> list[str]:
    """Return the name of each curve on the right, as near to its last point as there is room between the curves.

    `paths`: the points of each curve in drawing units.
    """
    right, parts = SMALL_WIDTH - SMALL_EDGE - 2, []
    taken = [place for path in paths.values() for pair in pairwise(path) for place in _between(*pair)]
    for name, path in sorted(paths.items(), key=lambda item: item[1][-1][1]):
        beside = [y for x, y in taken if x > right - SMALL_LETTER * len(name)]
        places = range(SMALL_EDGE + SMALL_LINE - 2, SMALL_HEIGHT - SMALL_EDGE - 2)
        free = [place for place in places if not any(place - SMALL_LINE < y < place + 4 for y in beside)]
        at = min(free or places, key=lambda place: abs(place - 4 - path[-1][1]))
        taken += [(right, at - 6.0), (right, float(at))]
        parts.append(f'<text class="name" x="{right}" y="{at}" text-anchor="end">{escape(name)}</text>')
    return parts


def _between(start: Point, end: Point) -> list[Point]:
    """Return points on the way from one point to another, about two units apart."""
    count = 1 + int(max(abs(end[0] - start[0]), abs(end[1] - start[1])) / 2)
    dx, dy = (end[0] - start[0]) / count, (end[1] - start[1]) / count
    return [(start[0] + dx * i, start[1] + dy * i) for i in range(count + 1)]


def runs(points: Sequence[Point], log: bool = False) -> list[list[Point]]:
    """Return the points that can be drawn, grouped into unbroken stretches."""
    return [list(run) for ok, run in groupby(points, lambda point: _drawable(point, log)) if ok]


def linear_ticks(values: Sequence[float], count: int) -> list[float]:
    """Return ticks that cover the values, about `count` and no more: multiples of 1, 2 or 5 times a power of ten."""
    if not values:
        return [0.0, 1.0]
    low, high = min(values), max(values)
    if low == high:
        low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12 - math.floor(math.log10(step))) for i in range(first, last + 1)]


def log_ticks(values: Sequence[float], count: int) -> list[float]:
    """Return about `count` powers of ten at most, which span the values. The values must be above zero."""
    if not values:
        return [1.0, 10.0]
    first, last = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
    last = max(last, first + 1)
    step = math.ceil((last - first) / count)
    # The largest float is about 1e308: leave out a tick above the values rather than overflow.
    return [10.0**power for power in range(first, last + step, step) if -308 <= power <= 308]


def tick_label(value: float, log: bool) -> str:
    """Return the label of a tick, such as `10⁴` on a logarithmic axis and `0.25` on a linear axis."""
    power = round(math.log10(value)) if log else 0
    return f"10{str(power).translate(_SUPERSCRIPTS)}" if log and not 0 <= power <= 2 else f"{value:g}"


def describe(series: Sequence[Series], x: str, texts: Texts = IN_ENGLISH) -> str:
    """Return the text alternative, which describes where each curve starts and ends."""
    return " ".join(
        texts.word(
            "{label}: {first_y:g} at {x} {first_x:g}, {last_y:g} at {x} {last_x:g}.",
            label=curve.label,
            x=x,
            first_x=curve.points[0][0],
            first_y=curve.points[0][1],
            last_x=curve.points[-1][0],
            last_y=curve.points[-1][1],
        )
        for curve in series
    )


def _drawable(point: Point, log: bool) -> bool:
    return all(map(math.isfinite, point)) and (not log or point[1] > 0)


def _scale(values: Sequence[float], start: float, end: float, *, log: bool = False) -> Callable[[float], float]:
    """Return a function that maps values to drawing units, the smallest to `start` and the largest to `end`."""
    place: Callable[[float], float] = math.log10 if log else float
    low, high = place(min(values)), place(max(values))
    return lambda value: start + (place(value) - low) / (high - low) * (end - start)


def _line(
    curve: Series, x: str, style: int, across: Callable[[float], float], up: Callable[[float], float], log: bool
) -> str:
    """Return the stretches of a curve and, if there is room, a mark with a tooltip for each point."""
    parts = [f'<g class="curve {escape(curve.kind)} style-{style}">', f"<title>{escape(curve.label)}</title>"]
    for run in runs(curve.points, log):
        path = " ".join(f"{across(px):.1f},{up(py):.1f}" for px, py in run)
        parts.append(f'<polyline points="{path}"/>')
        if len(curve.points) <= MARKED_POINTS:
            parts += [
                f'<circle cx="{across(px):.1f}" cy="{up(py):.1f}" r="2.2">'
                f"<title>{escape(f'{curve.label}: {x}={px:g} {curve.name}={py:g}')}</title></circle>"
                for px, py in run
            ]
    return "".join([*parts, "</g>"])


def _legend(series: Sequence[Series], names: Sequence[str]) -> str:
    return "".join(
        f'<span class="key {escape(curve.kind)} style-{names.index(curve.name)}">{escape(curve.label)}</span>'
        for curve in series
    )


def _notes(series: Sequence[Series], x: str, log: bool, texts: Texts, *, tags: bool = True) -> str:
    """Return a sentence for each curve that has points which can't be drawn, each in a tag unless `tags` is false."""
    word = texts.word
    notes = []
    for curve in series:
        skipped = [point for point in curve.points if not _drawable(point, log)]
        if not skipped:
            continue
        kinds = word(" or ").join(dict.fromkeys(_kind(py, texts) for _, py in skipped))
        where = word("at {x}={value:g}", x=x, value=skipped[0][0])
        if len(skipped) > 1:
            to_the_end = list(curve.points[-len(skipped) :]) == skipped
            if to_the_end:
                where = word("from {x}={value:g} on", x=x, value=skipped[0][0])
            else:
                where = word("at {count} points, first {where}", count=len(skipped), where=where)
        note = word("Not drawn: {label} is {kinds} {where}.", label=curve.label, kinds=kinds, where=where)
        notes.append(f"<span>{escape(note)}</span>" if tags else note)
    return "".join(notes)


def _kind(value: float, texts: Texts) -> str:
    return f"{value:g}" if not math.isfinite(value) else texts.word("zero or below")
