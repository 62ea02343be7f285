""".github/: workflows that can run and issue forms that GitHub can show."""

from collections.abc import Iterator
import re
from typing import Any, Final

import probatio as vol

from .report import Problem, Repository, violations

# A tag can be moved to other code; a commit cannot.
_PINNED: Final = re.compile(r"[\w./-]+@[0-9a-f]{40}")


def _pinned(value: Any) -> str:
    if not isinstance(value, str) or not _PINNED.fullmatch(value):
        raise vol.Invalid(f"{value!r} is not pinned by its commit")
    return value


_ANY: Final = object
_STEP: Final = vol.Any(
    {vol.Required("uses"): _pinned, vol.Extra: _ANY},
    {vol.Required("run"): str, vol.Extra: _ANY},
    msg="a step either runs something or uses an action with its commit",
)
_JOB: Final = vol.Any(
    {
        vol.Required("runs-on"): str,
        vol.Required("steps"): [_STEP],
        vol.Extra: _ANY,
    },
    # Another workflow of this repository.
    {vol.Required("uses"): vol.Match(r"\./\.github/workflows/"), vol.Extra: _ANY},
)
WORKFLOW: Final = {
    vol.Required("name"): str,
    vol.Required("on"): dict,
    # Nothing may write but what says so.
    vol.Required("permissions"): {str: vol.Any("read", "write", "none")},
    vol.Required("jobs"): {str: _JOB},
    vol.Extra: _ANY,
}
_INPUTS: Final = ("checkboxes", "dropdown", "input", "textarea")
ISSUE_FORM: Final = {
    vol.Required("name"): str,
    vol.Required("description"): str,
    vol.Optional("labels"): [str],
    vol.Optional("title"): str,
    vol.Required("body"): [
        vol.Any(
            {
                vol.Required("type"): "markdown",
                vol.Required("attributes"): {vol.Required("value"): str},
            },
            {
                vol.Required("type"): vol.In(_INPUTS),
                vol.Required("id"): str,
                vol.Required("attributes"): {
                    vol.Required("label"): str,
                    vol.Extra: _ANY,
                },
                vol.Optional("validations"): {vol.Required("required"): bool},
            },
            msg="markdown with a value, or an input with an id and a label",
        )
    ],
}
CHOOSER: Final = {
    vol.Required("blank_issues_enabled"): bool,
    vol.Optional("contact_links"): [
        {
            vol.Required("name"): str,
            vol.Required("url"): vol.Url(),
            vol.Required("about"): str,
        }
    ],
}


def check(repository: Repository) -> Iterator[Problem]:
    """Check the workflows and the issue forms."""
    folder = repository.root / ".github"
    for pattern, schema in (
        ("workflows/*", WORKFLOW),
        ("ISSUE_TEMPLATE/*", ISSUE_FORM),
    ):
        for path in sorted(folder.glob(pattern)):
            # YAML 1.1 takes the key `on` for a True.
            data, problems = repository.load(path)
            yield from problems
            if data is not None:
                chosen = CHOOSER if path.name == "config.yml" else schema
                data = {{"True": "on"}.get(str(key), key): data[key] for key in data}
                yield from violations(chosen, data, repository.name(path))
