"""What the series of a training log show. The rules are in `logs.toml`; here is what they can ask.

A rule needs its evidence in several rows and is silent without it. The size and course of a loss count only where they
mean something: not in reinforcement learning, GANs, contrastive or diffusion training (`muted`). Only a log that shows
how the training began (`begin`) shows that a loss does not fall.

Ratios and shares are whole numbers of thousandths, so that both languages evaluate the same expressions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from torch_errors.catalog.expressions import compile_expression
from torch_errors.explaining.decode import holds
from torch_errors.languages import ENGLISH
from torch_errors.logs.series import TEST, TRAIN, VALIDATION, Place, Series, known, listed, read_series

# Numbers of classes that people have. With all numbers above 20, some logarithm would be near any loss.
CLASSES = (*range(2, 21), 100, 200, 1000)
# The part of a number that is shown: four significant digits behind the point.
SHOWN = re.compile(r"([-+]?\d*)(\.0*\d{0,4})?\d*([eE][-+]?\d+)?([GMK]?)$", re.ASCII)
MOST = 1e12

Measures = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """What a series shows."""

    id: str  # of the rule
    symptom: str  # id in catalog.yaml
    entry: str | None  # the cause, if the rule knows it
    evidence: str
    series: Series
    since: int  # index of the first value that shows it


@dataclass(frozen=True)
class Log:
    """A training log: its series, and what they show."""

    series: list[Series]
    findings: list[Finding]

    @property
    def count(self) -> int:
        """How many numbers it has."""
        return sum(len(one.values) for one in self.series)


def read_log(text: str, language: str = ENGLISH) -> Log | None:
    """Read a training log, or return None if the text is not one. `language`: that of the evidence."""
    series, alarm = read_series(text)
    log = Log(series, findings(series, text, alarm, language))
    longest = max((len(one.values) for one in series), default=0)
    return log if longest > 2 and log.count >= known()["limits"]["shortest"] else None


def findings(series: Sequence[Series], text: str, alarm: str, language: str = ENGLISH) -> list[Finding]:
    """Return what the series show, one finding each of training, memory and time. `alarm`: what the log says itself."""
    measured = {id(one): measures(one, language) for one in series}
    select = _selections(series)
    log = _of_log(select, measured, text, alarm)
    found: list[Finding] = []
    for rule in known()["rules"]:
        if any(other.symptom == rule["symptom"] or not rule.get("beside") for other in found):
            continue
        condition, ok = compile_expression(rule["when"]), []
        for one in select[rule["of"]]:
            others = (
                [None]
                if "with" not in rule
                else _counterparts(one, select)
                if rule["with"] == "counterpart"
                else select[rule["with"]]
            )
            for other in others:
                values = log | measured[id(one)]
                if other:
                    values |= {f"o_{name}": value for name, value in measured[id(other)].items()}
                if holds(condition, {name: str(value) for name, value in values.items()}):
                    ok.append((one, values))
                    break
        if ok and (len(ok) == len(select[rule["of"]]) or not rule.get("all")):
            one, values = ok[0]
            since = values[rule["since"]] if "since" in rule else 0
            evidence = rule[language].format(**values)
            found.append(Finding(rule["id"], rule["symptom"], rule.get("entry"), evidence, one, since))
    return found


def _selections(series: Sequence[Series]) -> dict[str, list[Series]]:
    """The series by what rules call them."""
    kinds = ("loss", "accuracy", "error", "norm", "scale", "lr", "memory", "time", "entropy", "reward")
    of: dict[str, list[Series]] = {kind: [one for one in series if one.kind == kind] for kind in kinds}
    of["loss"].sort(key=lambda one: (not one.is_main, one.split in (VALIDATION, TEST)))
    of["train"] = _main(of, TRAIN) or _main(of, "")
    of["validation"] = _main(of, VALIDATION) or _main(of, TEST)
    of["main"] = of["train"] + of["validation"]
    parts = [one for one in of["loss"] if one.split in ("", TRAIN) and not one.average]
    of["losses"] = [_smoothed(one, series) for one in of["train"] or parts]
    evaluated = [one for one in of["loss"] if one.split in (VALIDATION, TEST)] + of["accuracy"] + of["error"]
    of["evaluated"] = [one for one in evaluated if not one.average]
    of["discriminator"] = [one for one in of["loss"] if "d" in one.words]
    of["generator"] = [one for one in of["loss"] if "g" in one.words]
    of["improvable"] = [_smoothed(one, series) for one in of["accuracy"] + of["reward"]]
    validated = [one for one in of["accuracy"] if one.split in (VALIDATION, TEST)]
    of["validated"] = validated or [one for one in of["accuracy"] if not one.split]
    return of


def _main(of: dict[str, list[Series]], split: str) -> list[Series]:
    """The loss of a part of the data, the longest of several, in a list; of an error if there is no loss."""
    for kind in ("loss", "error"):
        losses = [one for one in of[kind] if one.split == split and one.is_main]
        if losses:
            return [max(losses, key=lambda one: 2 * len(one.values) - one.average)]
    return []


def _smoothed(series: Series, all_series: Sequence[Series]) -> Series:
    """The average that is printed beside a number, if there is one: it is less noisy."""
    for one in all_series:
        if one.average and (one.name, one.split) == (series.name, series.split):
            return one if 2 * len(one.values) >= len(series.values) else series
    return series


def _counterparts(series: Series, select: dict[str, list[Series]]) -> list[Series]:
    """The metric of the training that a metric of the validation is to be compared with."""
    splits = listed("train validation test")
    return [
        one
        for one in select["accuracy"]
        if series.split in (VALIDATION, TEST) and one.split in ("", TRAIN) and one.average == series.average
        and one.words - splits == series.words - splits
    ]  # fmt: skip


def _of_log(select: dict[str, list[Series]], measured: dict[int, Measures], text: str, alarm: str) -> Measures:
    """What is true of the whole log."""

    def some(name: str, key: str) -> int:
        return int(any(measured[id(one)].get(key) for one in select[name]))

    words = "|".join(known()["muted"]["words"].split())
    frozen = [one for one in select["evaluated"] if measured[id(one)]["distinct"] == 1 and measured[id(one)]["telling"]]
    frozen = [one for one in frozen if len(one.values) > 3]
    moving = [one for one in select["evaluated"] if one.kind == "loss" and one not in frozen and len(one.values) > 3]
    return {
        "muted": int(bool(re.search(f"(?<![a-z])(?:{words})(?![a-z])", text.lower()))),
        "negative": some("loss", "negative"),
        "warming": some("lr", "warms"),
        "rates_zero": int(all(not any(one.values) for one in select["lr"])),
        "falling": some("losses", "lowers"),
        "improving": some("improvable", "climbing"),
        "validated": int(some("validated", "climbs_on") or some("validated", "best_last")),
        "holding": some("validated", "holds"),
        "good": int(any(measured[id(one)].get("share_end", 0) > 900 for one in select["accuracy"])),
        "frozen": 0 if moving else len(frozen),
        "frozen_names": ", ".join(measured[id(one)]["name"] for one in frozen[:4]),
        "alarm": alarm if len(alarm) <= 120 else f"{alarm[:119]}…",
    }  # fmt: skip


def measures(series: Series, language: str = ENGLISH) -> Measures:
    """What rules may ask of a series, and say of it: whole numbers, and texts as printed."""
    values, raws, places = series.values, series.raws, series.places
    rows = len(values)
    odd = [at for at, value in enumerate(values) if not math.isfinite(value)]
    zeros = [at for at, value in enumerate(values) if value == 0]
    odd_end, zeros_end = _end(odd, rows), _end(zeros, rows)
    splits = listed("train validation test")
    name = f"{series.split} {series.name}" if series.split and not series.words & splits else series.name
    told: Measures = {
        "name": name, "rows": rows, "average": int(series.average), "overflows": series.overflows,
        "first": shown(raws[0]), "last": shown(raws[-1]),
        "odd": len(odd), "odd_end": odd_end, "zeros": len(zeros), "zeros_end": zeros_end,
        "last_zero": int(zeros_end > 0), "zeros_at": rows - zeros_end,
        "zeros_place": _at(places[min(rows - zeros_end, rows - 1)], language),
        "distinct": len(set(raws)), "telling": int(values[0] not in (0, 1, 100) and len(raws[0]) > 3),
        "exact": int(raws[-1] in ("0", "0.0") or "e" in raws[-1].lower() or len(raws[-1]) > 7),
        "digits": len(raws[-1]), "is_accuracy": int(bool(series.words & {"acc", "accuracy"})),
        "is_each": int(bool(series.words & listed("each"))), "negative": int(any(value < 0 for value in values)),
        "begin": int(_has_begin(places)), "long": int(_is_long(places)),
        "epochs": int(len({place.epoch for place in places}) == rows and places[0].epoch is not None),
    }  # fmt: skip
    if odd:
        first = odd[0]
        told |= {"odd_at": first, "odd_raw": raws[first], "odd_place": _at(places[first], language)}
        if first:
            told["odd_before"] = shown(raws[first - 1])
        since = max(0, first - 20)
        if first - since > 2 and values[since] > 0 and values[first - 1] > 0:
            grown = math.floor(min(values[first - 1] / values[since], MOST) + 0.5)
            told |= {"grown": grown, "grown_at": since, "grown_rows": first - since}
        return told
    third = (rows + 2) // 3
    early, late, middle, end = _median(values[:third]), _median(values[-third:]), _median(values), _median(values[-3:])
    part = 100 if max(values) > 1.5 else 1  # of a share in percent
    least = 0.03 if series.kind == "accuracy" else 0.0  # what differs by less is noise
    low, high = values.index(min(values)), values.index(max(values))
    steps = [after - before for before, after in pairwise(values)]
    climbing = rows > 2 and late - early > max(0.05 * max(abs(early), abs(late)), least * part)
    told |= {
        "first_milli": _milli(values[0]), "last_milli": _milli(values[-1]), "middle_milli": _milli(middle),
        "min_milli": _milli(values[low]), "max_milli": _milli(values[high]),
        "min_end_milli": _milli(min(values[-5:])), "max_end_milli": _milli(max(values[-5:])),
        "falls": int(values[-1] < values[0]), "climbs": int(late > early),
        "climbing": int(climbing), "climbs_on": int(climbing and high >= rows - third),
        "lowers": int(rows > 3 and late < 0.9 * early),
        "best_last": int(rows > 3 and max(values[-2:]) == values[high] > values[low]),
        "warms": int(rows > 1 and ((values[-1] > 1.2 * values[0] and _share(steps) > 500) or 0 < values[high] < 1e-7)),
        "rising": _share(steps), "rising_end": sum(step > 0 for step in steps[-2:]),
        "drops": sum(step < 0 for step in steps), "low_at": low, "low": 1000 * low // max(1, rows - 1),
        "least": shown(raws[low]), "low_place": _at(places[low], language),
        "high_at": high, "high": shown(raws[high]), "high_place": _at(places[high], language),
        "holds": int(rows > 2 and end >= values[high] - 0.02 * part),
        "share": _milli(middle / part), "share_end": _milli(end / part),
        "chance": int(any(abs(middle / part - 1 / classes) < 0.005 for classes in range(2, 21))),
    }  # fmt: skip
    if min(early, values[0]) > 0 < values[low]:
        ordered = sorted(values)
        told |= {
            "course": _milli(late / early), "jump": _milli(min(end, values[-1]) / early),
            "start": _milli(values[0] / late), "spread": _milli((ordered[rows * 3 // 4] - ordered[rows // 4]) / middle),
            "rise": _milli(min(end if rows > 5 else values[-1], values[-1]) / values[low]),
            "growth": _milli(values[-1] / values[min(1, rows - 1)]), "pace": _milli(min(values[-2:]) / values[0]),
        }  # fmt: skip
        near = [classes for classes in CLASSES if abs(middle - math.log(classes)) <= 0.004 * math.log(classes)]
        is_flat = (
            told["spread"] <= 10 and abs(late - early) <= 0.02 * middle and abs(values[-1] - middle) <= 0.02 * middle
        )
        if near and is_flat:
            told |= {"classes": near[0], "log": f"{math.log(near[0]):.3f}"}
    return told


def _end(indices: Sequence[int], rows: int) -> int:
    """How many of the indices are the last ones, without a gap."""
    count = 0
    while count < len(indices) and indices[-1 - count] == rows - 1 - count:
        count += 1
    return count


def _milli(value: float) -> int:
    return math.floor(max(-MOST, min(MOST, value)) * 1000 + 0.5)


def _share(steps: Sequence[float]) -> int:
    return 1000 * sum(step > 0 for step in steps) // max(1, len(steps))


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def shown(raw: str) -> str:
    """Shorten a number as printed to four significant digits behind the point."""
    match = SHOWN.match(raw) if len(raw) > 7 else None
    return "".join(part or "" for part in match.groups()) if match else raw


def _at(place: Place, language: str) -> str:
    epoch, step = (
        number and (number.lstrip("0") or "0" if number.isdecimal() else shown(number))
        for number in (place.epoch, place.step)
    )
    form = "both" if epoch and step else "epoch" if epoch else "step" if step else "row"
    return known()["places"][form][language].format(epoch=epoch, step=step, row=place.row)


def _has_begin(places: Sequence[Place]) -> bool:
    """Whether the log shows how the training began, by the epochs and steps of the first rows."""
    (epoch, step), (_, after) = (_numbers(place) for place in (places[0], places[min(1, len(places) - 1)]))
    if (epoch is None and step is None) or (epoch or 0) > 1:
        return False
    if step is None or step <= 10:
        return True
    within_epoch = epoch is not None and after is not None and after <= step and len(places) > 1
    return after is not None and (within_epoch or step <= 1.5 * (after - step))


def _is_long(places: Sequence[Place]) -> bool:
    """Whether the training went on long enough to learn something: epochs, hundreds of steps, or many rows."""
    (first, _), (last, step) = _numbers(places[0]), _numbers(places[-1])
    return (last or 0) - (first or 0) >= 1 or (step or 0) >= 200 or len(places) >= 20


def _numbers(place: Place) -> Iterator[float | None]:
    texts = (place.epoch, place.step)
    return iter([float(text) if text and text[-1] not in "fnyFNY" else None for text in texts])
