"""Messages that lost or changed parts of themselves before they were pasted, and messages of other programs."""

import random
import re

import pytest

from tests.explaining.mutilations import MUTILATIONS, messages
from torch_errors.explaining.explain import explain

# The entry whose message was mutilated, who answers, and why that is right.
ANOTHER = {
    # Without its capital, Long is not told apart from other types.
    ("loss-target-dtype", "dtype-expected-scalar"),
    # What is left ends before the words that tell the two apart.
    ("loss-target-broadcast-warning", "loss-input-target-size-mismatch"),
    ("onnx-unsupported-opset", "onnx-unsupported-operator"),
    ("state-dict-size-mismatch", "sharded-weights-empty"),
    ("torch-six-removed", "torch-module-no-attribute"),
    ("jit-script-unsupported-python", "tensor-no-attribute"),
    ("state-dict-missing-keys", "checkpoint-key-error"),
    ("collate-unsupported-type", "mean-of-integers"),
    ("load-invalid-load-key", "load-weights-only"),
    ("torchscript-archive-in-load", "load-invalid-load-key"),
    ("dataloader-worker-killed", "process-killed-by-signal"),
    # The headline is that of any graph break; the line that says more was joined with the others.
    ("fake-tensor-failure", "dynamo-graph-break"),
}
# What is left is what Python says of any call or object, without a name of the program: it stays unanswered.
OF_ANY_CALL = re.compile(
    r"(?:got |an |missing |\d )*(?:unexpected keyword|required positional) arguments?:? '\w+'"
    r"|object is not (?:callable|subscriptable|iterable)|(?:object )?has no attribute '\w+'|\d+"
)


def answers(text: str) -> set[str]:
    return {one.id for match in explain(text)[:1] for one in (match, *match.alternatives)}


def test_mutilated_messages(exhaustive):
    """At most 2% are lost, of the sample of `make test` 3%, and none is answered wrongly."""
    recorded = sorted(set(messages()))
    chosen = recorded if exhaustive else random.Random(0).sample(recorded, 80)
    tried, lost, wrong = 0, [], []
    for entry, message in chosen:
        expected = answers(message)
        for name, mutilate in MUTILATIONS.items():
            text = mutilate(message)
            if not expected or not text or OF_ANY_CALL.fullmatch(text):
                continue
            tried += 1
            found = explain(text)
            if not found:
                lost.append((name, text))
            elif found[0].id not in {entry, *expected} and (entry, found[0].id) not in ANOTHER:
                wrong.append((name, entry, found[0].id, text))
    assert tried > 8 * len(chosen)
    assert wrong == []
    assert len(lost) <= (0.02 if exhaustive else 0.03) * tried, lost


@pytest.mark.parametrize(
    "text",
    [
        "TypeError: 'NoneType' object is not subscriptable",
        "TypeError: 'int' object is not callable",
        "TypeError: f() got an unexpected keyword argument 'x'",
        "IndexError: list index out of range",
        "ZeroDivisionError: division by zero",
        "AttributeError: 'str' object has no attribute 'decode'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'",
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        "ValueError: length should be 165",
        "AddressValueError: Unexpected '/' in Config",
        "TypeError: No function found",
        "ImportError: Module not Installed",
        "my loss is not decreasing after the first epoch",
        "The connection was closed by the server.",
    ],
)
def test_messages_of_other_programs_stay_unanswered(text):
    assert explain(text) == []
