"""No input, however odd, raises an error that is not one of the client's own."""

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.poolctl.client.pool.from_cloud import CLOUD_READS
from custom_components.poolctl.client.pool.queries import QUERIES
from custom_components.poolctl.client.wire.exceptions import PoolctlError
from tests.fuzz.parsers import Parser, parsers

PARSERS = parsers()
NAMES = [parser.name for parser in PARSERS]


def accepts(parser: Parser[Any], chance: Random) -> bool:
    """Return whether a mutated input is accepted, not refused by an error of the client."""
    given = parser.make(chance)
    try:
        parsed = parser.parse(given)
        words, accepted = [*parsed] if isinstance(parsed, Iterator) else [], True
    except PoolctlError as err:
        words, accepted = [str(err)], False
        if type(err) not in parser.errors:
            raise
    for each in words:
        each.encode()  # Home Assistant cannot save lone surrogates
    return accepted


@pytest.mark.parametrize("parser", PARSERS, ids=NAMES)
@given(chance=st.randoms(use_true_random=False))
def test_no_other_error(parser: Parser[Any], chance: Random) -> None:
    accepts(parser, chance)


@pytest.mark.parametrize("parser", PARSERS, ids=NAMES)
def test_some_are_accepted_and_some_refused(parser: Parser[Any]) -> None:
    """Mutations that are all refused, or all accepted, test nothing."""
    outcomes = {accepts(parser, Random(number)) for number in range(300)}
    harmless = {"frame after an action", "any JSON", "TXT record"}
    assert outcomes == {True, False} or (outcomes == {True} and parser.name in harmless)


def test_everything_that_is_read_is_here() -> None:
    assert {*NAMES} >= {f"reply to {query.name}" for query in QUERIES}
    assert {*NAMES} >= {*CLOUD_READS} | {"dashboardInfo"}
