"""No input, however odd, raises an error that is not one of the client's own.

These tests run some thousands of inputs; `python -m tests.fuzz` runs a million.
"""

from collections.abc import Callable
from random import Random

import pytest

from custom_components.poolctl.client.control.poller import _CLOUD_READS
from custom_components.poolctl.client.pool.queries import QUERIES
from custom_components.poolctl.client.wire.exceptions import FrameError, PoolctlError
from tests.fuzz.parsers import Parser, parsers
from tests.fuzz.run import run

INPUTS = 12_000


def test_all_of_them() -> None:
    result = run(INPUTS, seed=1)
    assert not result.wrong, result.report()
    assert sum(result.inputs.values()) == INPUTS
    # Mutations that are all refused, or all accepted, test nothing.
    harmless = {"frame after an action", "any JSON", "TXT record"}
    for name, inputs in result.inputs.items():
        assert result.taken[name] > 0, name
        assert result.taken[name] < inputs or name in harmless, name


def test_everything_that_is_read_is_here() -> None:
    names = {parser.name for parser in parsers()}
    assert names >= {f"reply to {query.name}" for query in QUERIES}
    assert names >= {name for name, _ in _CLOUD_READS} | {"dashboardInfo"}


def parser(parse: Callable[[], list[str]]) -> Parser:
    def make(chance: Random) -> tuple[object, Callable[[], list[str]]]:
        return "input", parse

    return Parser("one", make, (FrameError,))


def fails(error: Exception) -> Callable[[], list[str]]:
    def parse() -> list[str]:
        raise error

    return parse


@pytest.mark.parametrize(
    ("parse", "wrong"),
    [
        (lambda: ["words"], ""),
        (fails(FrameError("its own")), ""),
        (fails(PoolctlError("of somebody else")), "PoolctlError"),
        (fails(ValueError("x")), "one: ValueError('x') for 'input'"),
        (fails(RecursionError()), "RecursionError"),
        (lambda: ["\ud800"], "gives '\\ud800'"),
        (fails(FrameError("\ud800")), "gives"),
    ],
)
def test_it_notices(parse: Callable[[], list[str]], wrong: str) -> None:
    result = run(2, seed=1, what=[parser(parse)])
    assert bool(result.wrong) is bool(wrong)
    assert all(wrong in line for line in result.wrong)
    assert "2 inputs" in result.report()


def test_a_seed_makes_the_same_inputs_again() -> None:
    def inputs(seed: int) -> list[str]:
        return [repr(each.make(Random(f"{seed} {each.name}"))[0]) for each in parsers()]

    first = inputs(1)
    assert [text for text in first if " at 0x" not in text] == [
        text for text in inputs(1) if " at 0x" not in text
    ]
    assert first != inputs(2)
