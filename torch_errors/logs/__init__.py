"""Read pasted training logs: which numbers they hold, and what these show.

    series.py   reads series of named numbers, from the formats in which people have them
    rules.py    judges the series: a symptom with its evidence, or nothing
    answer.py   what is said of a log, with the causes of its symptom, and its curves
    logs.toml   names, limits and rules, which the site reads, too

Nothing here imports torch. The site does the same in JavaScript: `logs.js` and `log-rules.js` in website/docs/assets/.
"""

from torch_errors.logs.rules import Finding, Log, read_log
from torch_errors.logs.series import Series

__all__ = ["Finding", "Log", "Series", "read_log"]
