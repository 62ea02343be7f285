"""Report of a guided check: the results in words, and a prefilled issue form."""

from collections.abc import Iterator
from urllib.parse import urlencode

from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations
from homeassistant.loader import async_get_integration

from ..const import DOMAIN
from ..observed.observers import Observers
from .check import GuidedCheck, Result
from .compare import values


async def async_lines(hass: HomeAssistant, check: GuidedCheck) -> list[str]:
    """Return a line for each result, in the language of Home Assistant."""
    language = hass.config.language
    texts = {
        **await async_get_translations(hass, language, "selector", [DOMAIN]),
        **await async_get_translations(hass, language, "exceptions", [DOMAIN]),
    }

    def option(selector: str, key: str) -> str:
        return texts[f"component.{DOMAIN}.selector.{selector}.options.{key}"]

    def line(key: str, result: Result) -> str:
        words = option("guided_outcome", result.outcome)
        if (reason := result.reason) is not None:
            path = f"component.{DOMAIN}.exceptions.{reason.translation_key}.message"
            placeholders = reason.translation_placeholders or {}
            words = f"{words} {texts[path].format_map(placeholders)}"
        return f"{option('guided_step', key)}: {words}"

    return [line(key, result) for key, result in check.results.items()]


async def async_issue_url(
    hass: HomeAssistant, check: GuidedCheck, observers: Observers
) -> str:
    """Return the URL of the issue form, prefilled without names."""
    integration = await async_get_integration(hass, DOMAIN)
    fields = {
        "template": "evidence.yml",
        "integration": str(integration.version),
        "firmware": check.coordinator.record.firmware or "",
        "verdict": "\n".join(_verdict(check, observers)),
    }
    if check.anchors:
        noted = (f"{key}: {value}" for key, value in check.anchors.items())
        fields["anchors"] = "\n".join(noted)
    return f"{integration.issue_tracker}/new?{urlencode(fields)}"


def _verdict(check: GuidedCheck, observers: Observers) -> Iterator[str]:
    for key, result in check.results.items():
        reason = result.reason and result.reason.translation_key
        yield f"{key}: {result.outcome}" + (f" ({reason})" if reason else "")
    ours = values(check.coordinator.data)
    for key, noted in check.anchors.items():
        yield f"{key}: {noted} in the app, {ours.get(key)} here"
