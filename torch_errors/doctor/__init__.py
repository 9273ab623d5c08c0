"""`torch-errors doctor`: what is wrong with an installation, told from this machine or from a report that was posted.

rules.py        `checks.yaml`, compiled: how facts are read, what follows from them, which faults they show
facts.py        facts with the place that each was found at, and the steps that add to them
reports.py      facts from a text: `collect_env`, `nvidia-smi`, `pip list`, `conda list` and similar reports
interpreter.py  an interpreter as it describes itself: search path, versions, tags
machine.py      facts from a machine, without importing torch: files, metadata, `nvidia-smi`
libraries.py    facts from the shared libraries of torch and of the driver
diagnosis.py    facts -> findings, what is fine, what is unknown
assistant.py    the tool for assistants
answer.py       a diagnosis as text, as JSON, and as a report to post
"""
