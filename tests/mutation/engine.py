"""mutmut, as this project uses it: a program of its own, run in a prepared folder.

mutmut skips every decorated function, so decorators are first rewritten as calls:
`@property def x` becomes `def x` and `x = property(x)`. The texts of errors and log
lines are not mutated: they are for people, and tests should not repeat them.

mutmut tries each mutant in a fork of a process that has already loaded everything. Code
that runs while modules are loaded has run by then: fresh.py tries its mutants again.
"""

import json
import os
from pathlib import Path
from typing import override
from unittest.mock import patch

import libcst as cst
from mutmut.__main__ import cli
from mutmut.mutation import file_mutation
from mutmut.mutation.file_mutation import Mutation
from mutmut.stats import record_trampoline_hit

UNFOLDED = {
    "property",
    "contextmanager",
    "asynccontextmanager",
    "callback",
    "cached_property",
}
"""Decorators that can be called after the function is defined instead."""
KEPT = ({"classmethod"}, {"staticmethod"})
"""Decorators that mutmut supports."""


class Unfold(cst.CSTTransformer):
    """Writes decorators as assignments."""

    @override
    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.FlattenSentinel[cst.BaseStatement]:
        decorators = [
            decorator
            for decorator in updated_node.decorators
            if _name(decorator.decorator) != "override"
        ]
        names = {_name(decorator.decorator) for decorator in decorators}
        plain = updated_node.with_changes(decorators=())
        if not names:
            return plain
        if names in KEPT:
            return updated_node.with_changes(decorators=decorators)
        if not names <= UNFOLDED:
            return updated_node
        value: cst.BaseExpression = plain.name
        for decorator in reversed(decorators):
            value = cst.Call(decorator.decorator, [cst.Arg(value)])
        assignment = cst.Assign([cst.AssignTarget(plain.name)], value)
        return cst.FlattenSentinel([plain, cst.SimpleStatementLine([assignment])])


def _name(node: cst.BaseExpression) -> str:
    return node.value if isinstance(node, cst.Name) else ""


class Messages(cst.CSTVisitor):
    """Collects the texts of log lines and errors, and the calls that create errors."""

    def __init__(self) -> None:
        self.calls: set[cst.CSTNode] = set()
        self.words: set[cst.CSTNode] = set()

    @override
    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Call) and node.args and _speaks(node.func):
            words = Words()
            if isinstance(node.func, cst.Attribute):
                node.visit(words)
            else:
                self.calls.add(node)
                node.args[0].visit(words)
            self.words |= words.found
        return True


class Words(cst.CSTVisitor):
    """Collects every node of an expression."""

    def __init__(self) -> None:
        self.found: set[cst.CSTNode] = set()

    @override
    def on_visit(self, node: cst.CSTNode) -> bool:
        self.found.add(node)
        return True


def _speaks(function: cst.BaseExpression) -> bool:
    """Return whether a call logs a line, or creates an error from a first argument."""
    match function:
        case cst.Name(value=name):
            return name == "error" or name.endswith("Error")
        case cst.Attribute(value=cst.Name(value="_LOGGER")):
            return True
    return False


def _is_wording(mutation: Mutation, messages: Messages) -> bool:
    before, after = mutation.original_node, mutation.mutated_node
    if before in messages.words:
        return True
    if before in messages.calls:
        assert isinstance(before, cst.Call)
        assert isinstance(after, cst.Call)
        others = list(before.args[1:])
        return list(after.args[len(after.args) - len(others) :]) == others
    return False


_create_mutations = file_mutation.create_mutations


def create_mutations(
    filename: str,
    code: str,
    covered_lines: set[int] | None = None,
    coverage_excluded_lines: set[int] | None = None,
) -> tuple[cst.Module, list[Mutation], set[str], set[str]]:
    """Return the mutants of a file, except those of texts."""
    code = cst.parse_module(code).visit(Unfold()).code
    module, mutations, classes, functions = _create_mutations(
        filename, code, covered_lines, coverage_excluded_lines
    )
    messages = Messages()
    module.visit(messages)
    mutations = [one for one in mutations if not _is_wording(one, messages)]
    return module, mutations, classes, functions


_loading: set[str] = set()
"""Names of functions that were called while no test ran."""


def record_hit(name: str, caller: str | None = None) -> None:
    """Record a call of a function, by a test or while modules are loaded."""
    if "PYTEST_CURRENT_TEST" in os.environ:
        record_trampoline_hit(name, caller)
    else:
        _loading.add(name)


def main() -> None:
    """Run mutmut; add the functions called while modules were loaded to a file."""
    file_mutation.create_mutations = create_mutations
    loading = Path("loading.json").absolute()
    try:
        with patch("mutmut.mutation.trampoline.record_trampoline_hit", record_hit):
            cli()
    finally:
        before = json.loads(loading.read_text()) if loading.exists() else []
        loading.write_text(json.dumps(sorted(_loading.union(before))))


if __name__ == "__main__":
    main()
