"""The expressions in braces, with which the catalog explains the numbers of a message."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torch_errors.catalog.expressions import compile_expression, compile_text, names_in, names_in_condition
from torch_errors.explaining import decode


def render(text, captures):
    return decode.render(compile_text(text), captures)


@pytest.mark.parametrize(
    "text, captures, rendered",
    [
        ("{a} of {b}", {"a": "3", "b": "4"}, "3 of 4"),
        ("{a * b + 1}", {"a": "3", "b": "4"}, "13"),
        ("{a // b}, {a % b}, {a - b}", {"a": "7", "b": "2"}, "3, 1, 5"),
        ("{product(shape)}", {"shape": "32, 784"}, "25088"),
        ("{product(shape)}", {"shape": "torch.Size([2, 3, 4])"}, "24"),
        ("{known_product(shape)}", {"shape": "-1, 784"}, "784"),
        ("{first(s)} {last(s)} {item(s, 1)} {count(s)}", {"s": "[8, 3, 64]"}, "8 64 3 3"),
        ("{plural(n, 'feature', 'features')}", {"n": "1"}, "1 feature"),
        ("{plural(n, 'feature', 'features')}", {"n": "2"}, "2 features"),
        ("{bytes(n)}", {"n": "144000000000000"}, "131.0 TiB"),
        ("{bytes(n)}", {"n": "512"}, "512 bytes"),
        ("{{a}} {a}", {"a": "x"}, "{a} x"),
        ("{name}", {"name": "fc.weight"}, "fc.weight"),
    ],
)
def test_expressions_in_a_text(text, captures, rendered):
    assert render(text, captures) == rendered
    assert names_in(text) <= set(captures)


@pytest.mark.parametrize(
    "condition, captures, holds",
    [
        ("a == b", {"a": "3", "b": "3"}, True),
        ("a != b and a > 1", {"a": "3", "b": "4"}, True),
        ("a % b == 0 or not a < b", {"a": "3", "b": "2"}, True),
        ("device == 'cuda'", {"device": "cpu"}, False),
        ("a <= -b", {"a": "3", "b": "4"}, False),
    ],
)
def test_condition_holds(condition, captures, holds):
    assert decode.holds(compile_expression(condition), captures) is holds
    assert names_in_condition(condition) <= set(captures)


def test_a_text_is_left_out_if_a_group_is_missing_or_cannot_be_computed():
    assert render("{a} of {b}", {"a": "3"}) is None
    assert render("{a // b}", {"a": "3", "b": "0"}) is None
    assert render("{a + b}", {"a": "3", "b": "x"}) is None


@pytest.mark.parametrize(
    "text", ["{a * b}", "{a % b}", "{a - b}", "{a // b}", "{a < b}", "{bytes(a)}", "{count(a) * c}"]
)
def test_a_captured_text_is_neither_repeated_nor_a_format(text):
    assert render(text, {"a": "%999999999d", "b": "999999999"}) is None
    assert render("{a + b}", {"a": "x", "b": "y"}) == "xy"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "{",
            "}",
            "{a b}",
            "{a.b}",
            "{open('x')}",
            "{a ** b}",
            "{1.5}",
            "{first()}",
            "{plural(a, 'x', 'y', many='z')}",
        ),
        *("{True}", "{a < b < c}", f"{{{2**53}}}", "{a if b else c}", "{[a]}", "{name}{}"),
    ],
)
def test_other_expressions_are_refused(text):
    with pytest.raises(ValueError):
        names_in(text)


def test_compiled_form():
    assert compile_text("{{a}} {'b'} {1}") == "{a} b 1"
    plural = ["plural", ["-", ["name", "b"], 1], "x", "y"]
    assert compile_text("{a} of {plural(b - 1, 'x', 'y')}") == [["name", "a"], " of ", plural]
    condition = ["or", ["not", ["name", "a"]], ["==", ["negative", ["name", "b"]], 2]]
    assert compile_expression("not a or -b == 2") == condition


@settings(max_examples=15)
@given(st.dictionaries(st.sampled_from(["a", "b", "shape"]), st.text(max_size=30)))
def test_no_capture_makes_rendering_fail(captures):
    for text in ("{a * b}", "{product(shape)}", "{plural(a, 'x', 'y')}", "{bytes(a)}", "{last(shape)}", "{a // b}"):
        rendered = render(text, captures)
        assert rendered is None or isinstance(rendered, str)
