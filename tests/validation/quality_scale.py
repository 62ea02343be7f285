"""quality_scale.yaml: every rule has an answer, and the manifest claims no more than that."""

from collections.abc import Iterator
from typing import Final

import probatio as vol

from .report import Json, Problem, Repository, violations

# The rules by the tier that asks for them, lowest tier first (Home Assistant 2026.10).
TIERS: Final[dict[str, tuple[str, ...]]] = {
    "bronze": (
        "action-setup",
        "appropriate-polling",
        "brands",
        "common-modules",
        "config-flow",
        "config-flow-test-coverage",
        "dependency-transparency",
        "docs-actions",
        "docs-conditions",
        "docs-high-level-description",
        "docs-installation-instructions",
        "docs-removal-instructions",
        "docs-triggers",
        "entity-event-setup",
        "entity-unique-id",
        "has-entity-name",
        "runtime-data",
        "test-before-configure",
        "test-before-setup",
        "unique-config-entry",
    ),
    "silver": (
        "action-exceptions",
        "config-entry-unloading",
        "docs-configuration-parameters",
        "docs-installation-parameters",
        "entity-unavailable",
        "integration-owner",
        "log-when-unavailable",
        "parallel-updates",
        "reauthentication-flow",
        "test-coverage",
    ),
    "gold": (
        "devices",
        "diagnostics",
        "discovery",
        "discovery-update-info",
        "docs-data-update",
        "docs-examples",
        "docs-known-limitations",
        "docs-supported-devices",
        "docs-supported-functions",
        "docs-troubleshooting",
        "docs-use-cases",
        "dynamic-devices",
        "entity-category",
        "entity-device-class",
        "entity-disabled-by-default",
        "entity-translations",
        "exception-translations",
        "icon-translations",
        "reconfiguration-flow",
        "repair-issues",
        "stale-devices",
    ),
    "platinum": (
        "async-dependency",
        "inject-websession",
        "strict-typing",
    ),
}
RULES: Final = tuple(rule for rules in TIERS.values() for rule in rules)

_COMMENT: Final = vol.All(str, str.strip, vol.Length(min=1))
# hassfest takes a bare todo as well; here it says what is missing.
_ANSWER: Final = vol.Any(
    "done",
    {vol.Required("status"): "done", vol.Optional("comment"): _COMMENT},
    {
        vol.Required("status"): vol.Any("todo", "exempt"),
        vol.Required("comment"): _COMMENT,
    },
    msg="done, or the status done, todo or exempt; todo and exempt with a comment",
)
SCHEMA: Final = {vol.Required("rules"): {vol.Required(rule): _ANSWER for rule in RULES}}


def open_rules(scale: Json, tier: str) -> list[str]:
    """Return the rules that a tier and those below it ask for and that are not answered."""
    names = list(TIERS)
    asked = (rule for name in names[: names.index(tier) + 1] for rule in TIERS[name])
    return [rule for rule in asked if _status(scale, rule) not in ("done", "exempt")]


def _status(scale: Json, rule: str) -> object:
    answer = (scale.get("rules") or {}).get(rule)
    return answer.get("status") if isinstance(answer, dict) else answer


def check(repository: Repository) -> Iterator[Problem]:
    """Check the file, and the tier of the manifest against it."""
    path = repository.integration / "quality_scale.yaml"
    file = repository.name(path)
    scale, problems = repository.load(path)
    yield from problems
    if scale is not None:
        yield from violations(SCHEMA, scale, file)
    if (tier := repository.manifest.get("quality_scale")) not in TIERS:
        return
    if scale is None:
        yield Problem(file, f"is missing, though the manifest says {tier}")
    elif unanswered := open_rules(scale, tier):
        yield Problem(
            file,
            f"the manifest says {tier}, but to do is {', '.join(unanswered)}",
        )
