"""The curves of a silent entry, broken and fixed, as an inline SVG that follows the page's colors.

Plotting libraries bring either their own style sheet and scripts (pygal) or thirty times the size of the site
(matplotlib), and these figures need only lines, ticks and a text alternative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from torch_errors.languages import IN_ENGLISH, Texts

Point = tuple[float, float]

# Size and margins of the drawing in SVG units. It is narrow, so that the text stays readable on a phone.
WIDTH, HEIGHT = 400, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 10, 38
# Longest curve, in points, with a mark for each point; more marks would hide the line.
MARKED_POINTS = 60

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Series:
    """The values that a script printed under one name."""

    script: str  # name of the script: broken or fixed
    name: str  # name of the value, such as loss
    points: Sequence[Point]

    @property
    def label(self) -> str:
        return f"{self.script}.py, {self.name}"


def figure(series: Sequence[Series], x: str, *, log: bool = False, texts: Texts = IN_ENGLISH) -> str:
    """Return the HTML of a figure: the drawing, its legend, and notes on points that could not be drawn.

    `x`: name of the horizontal axis. Points that are not finite, or not above zero with `log`, interrupt the line and
    are listed in the caption. The result contains no empty line, so that Markdown treats it as one block.
    """
    names = list(dict.fromkeys(curve.name for curve in series))
    drawn = [point for curve in series for run in runs(curve.points, log) for point in run]
    x_ticks = linear_ticks([px for px, _ in drawn], 6)
    y_ticks = (log_ticks if log else linear_ticks)([py for _, py in drawn], 5)
    across = _scale([*x_ticks, *(px for px, _ in drawn)], LEFT, WIDTH - RIGHT)
    up = _scale([*y_ticks, *(py for _, py in drawn)], HEIGHT - BOTTOM, TOP, log=log)

    y_title = ", ".join(names)
    y_title = texts.word("{names} (logarithmic)", names=y_title) if log else y_title
    parts = [
        '<figure class="curves">',
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="curves-title curves-desc">',
        f'<title id="curves-title">{escape(texts.word("{y} by {x}, as recorded", y=y_title, x=x))}</title>',
        f'<desc id="curves-desc">{escape(describe(series, x, texts))}</desc>',
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
    parts.append("</svg>")
    parts.append(f"<figcaption>{_legend(series, names)}{_notes(series, x, log, texts)}</figcaption>")
    parts.append("</figure>")
    return "\n".join(parts)


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
    parts = [f'<g class="curve {escape(curve.script)} style-{style}">', f"<title>{escape(curve.label)}</title>"]
    for run in runs(curve.points, log):
        path = " ".join(f"{across(px):.1f},{up(py):.1f}" for px, py in run)
        parts.append(f'<polyline points="{path}"/>')
        if len(curve.points) <= MARKED_POINTS:
            parts += [
                f'<circle cx="{across(px):.1f}" cy="{up(py):.1f}" r="2.2">'
                f"<title>{escape(f'{curve.script}.py: {x}={px:g} {curve.name}={py:g}')}</title></circle>"
                for px, py in run
            ]
    return "".join([*parts, "</g>"])


def _legend(series: Sequence[Series], names: Sequence[str]) -> str:
    return "".join(
        f'<span class="key {escape(curve.script)} style-{names.index(curve.name)}">{escape(curve.label)}</span>'
        for curve in series
    )


def _notes(series: Sequence[Series], x: str, log: bool, texts: Texts) -> str:
    """Return a sentence for each curve that has points which can't be drawn."""
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
        notes.append(f"<span>{escape(note)}</span>")
    return "".join(notes)


def _kind(value: float, texts: Texts) -> str:
    return f"{value:g}" if not math.isfinite(value) else texts.word("zero or below")
