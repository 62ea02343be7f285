"""Runs parsers on mutated inputs, and records what should not have happened."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
import logging
from random import Random
import time

from .parsers import Parser, parsers


@dataclass(slots=True)
class Result:
    """Result of a run."""

    inputs: Counter[str] = field(default_factory=Counter)
    """Number of inputs, by parser."""
    taken: Counter[str] = field(default_factory=Counter)
    """Number of inputs that were accepted all the same, by parser."""
    slowest: dict[str, float] = field(default_factory=dict)
    """Seconds that the slowest input took, by parser."""
    wrong: list[str] = field(default_factory=list)

    def report(self) -> str:
        """Return the result as a table."""
        lines = [f"{'parser':26} {'inputs':>8} {'taken':>8} {'slowest':>10}"]
        lines += [
            f"{name:26} {count:8} {self.taken[name]:8} {self.slowest[name] * 1e3:7.1f} ms"
            for name, count in self.inputs.items()
        ]
        total = sum(self.inputs.values())
        lines.append(f"{total} inputs, {len(self.wrong)} wrong")
        return "\n".join([*lines, *self.wrong[:20]])


def run(inputs: int, seed: int, what: Iterable[Parser] | None = None) -> Result:
    """Run each parser on its share of the inputs."""
    chosen = list(parsers() if what is None else what)
    result = Result()
    logging.disable(logging.WARNING)  # each counter that restarts is logged
    try:
        for number, parser in enumerate(chosen):
            share = inputs // len(chosen) + (number < inputs % len(chosen))
            _run(parser, share, Random(f"{seed} {parser.name}"), result)
    finally:
        logging.disable(logging.NOTSET)
    return result


def _run(parser: Parser, inputs: int, chance: Random, result: Result) -> None:
    slowest = 0.0
    for _ in range(inputs):
        given, parse = parser.make(chance)
        started = time.perf_counter()
        try:
            words = parse()
        except Exception as err:  # noqa: BLE001 - this is what is looked for
            if type(err) not in parser.errors:
                result.wrong.append(f"{parser.name}: {err!r} for {given!r:.300}")
                continue
            words = [str(err)]
        else:
            result.taken[parser.name] += 1
        slowest = max(slowest, time.perf_counter() - started)
        if odd := [each for each in words if not _can_be_stored(each)]:
            result.wrong.append(
                f"{parser.name}: gives {odd[0]!r:.80} for {given!r:.300}"
            )
    result.inputs[parser.name] = inputs
    result.slowest[parser.name] = slowest


def _can_be_stored(words: str) -> bool:
    """Return whether Home Assistant can save a text: it cannot save lone surrogates."""
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True
