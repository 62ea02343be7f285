"""Every text that a user can see exists, and every text is used."""

from dataclasses import fields
from enum import StrEnum
import json
import re
from string import Formatter
from typing import Any, Final

from homeassistant.helpers import icon
from homeassistant.util.yaml import load_yaml_dict

from custom_components.poolctl import errors
from custom_components.poolctl.automation import CONNECTIONS
from custom_components.poolctl.client.pool.choices import named_speeds
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import AUX_TYPES, Role
from custom_components.poolctl.condition import CONDITIONS
from custom_components.poolctl.const import CONF_OWN_RANGES, CONF_USES
from custom_components.poolctl.devices.ranges import READINGS
from custom_components.poolctl.options import Options
from custom_components.poolctl.services.values import FAULTS
from custom_components.poolctl.status.account import ACCOUNT_PROBLEMS
from custom_components.poolctl.status.dosing import DOSING_CAUSES
from custom_components.poolctl.status.heating import HEATING_CAUSES, WARM_BY_CAUSES
from custom_components.poolctl.status.output import _KEPT, OUTPUT_CAUSES
from custom_components.poolctl.status.rows import Problem, Row
from custom_components.poolctl.status.table import KEYS, PROBLEMS
from custom_components.poolctl.switch import SWITCHED_ROLES
from custom_components.poolctl.trigger import TRIGGERS
from tests.project.pages import ENGLISH, INTEGRATION as FOLDER
from tests.validation import texts
from tests.world.assistant.home import Home

CLIENT = "\n".join(path.read_text() for path in (FOLDER / "client").rglob("*.py"))
SOURCES = "\n".join(
    path.read_text()
    for path in FOLDER.rglob("*.py")
    if not path.is_relative_to(FOLDER / "client")
)
CARDS = "\n".join(path.read_text() for path in FOLDER.glob("frontend/*.js"))


def load(name: str) -> Any:
    return json.loads((FOLDER / name).read_text())


ICONS = load("icons.json")
REFUSAL = r'InvalidCommandError\(\s*(?:f?"[^"]*",\s*)?reason="(\w+)"'
MISTAKE = r'mistake\(\s*"(\w+)"'
REFUSED = r'ListError\(\s*(?:"\w+" if highest else )?"(\w+)"'
REFUSED_FORECAST = r'ListError\(\s*"(\w+)"'
"""What a list of prices is refused for (prices/)."""


def keys(pattern: str) -> set[str]:
    return set(re.findall(pattern, SOURCES))


def test_options() -> None:
    defaults = {each.name: each.default for each in fields(Options)}
    del defaults[CONF_OWN_RANGES], defaults[CONF_USES]
    assert set(ENGLISH["options"]["step"]["settings"]["data"]) == set(defaults)
    for name, default in defaults.items():
        if isinstance(default, StrEnum):
            assert set(ENGLISH["selector"][name]["options"]) == set(type(default))


def test_exceptions() -> None:
    named = keys(r'translation_domain=DOMAIN,\s*translation_key="(\w+)"')
    mapped = {*errors.COMMAND_ERRORS.values(), *errors.ACCOUNT_ERRORS.values()}
    mapped |= {*errors.OUTCOMES.values(), *FAULTS.values()}
    # Reasons of commands that are refused before they are sent.
    mapped |= set(re.findall(r'reason="(\w+)"', CLIENT)) | keys(REFUSAL) | keys(REFUSED)
    mapped |= keys(REFUSED_FORECAST) | keys(MISTAKE)
    # What could not be released is reported without an exception.
    mapped |= {"holds_left", "pauses_left", "heat_left"}
    assert named | mapped == set(ENGLISH["exceptions"])
    assert all(set(text) == {"message"} for text in ENGLISH["exceptions"].values())


def test_flow() -> None:
    config = ENGLISH["config"]
    ours = keys(r'reason="(\w+)"') - keys(REFUSAL)
    # Abort reasons of repairs are among the texts of their issues.
    ours -= set(re.findall(r'reason="(\w+)"', (FOLDER / "repairs.py").read_text()))
    assert ours | {
        "already_configured",
        "missing_configuration",
    } == (set(config["abort"]))
    raised = keys(r'InvalidAddressError\("(\w+)"\)') | keys(
        r'errors\[[^]]+\] = "(\w+)"'
    )
    raised |= set(errors.ADDRESS_ERRORS.values()) | keys(r'ADDRESS_ERRORS, "(\w+)"')
    assert raised == {*config["error"], *ENGLISH["options"]["error"]}
    steps = keys(r'step_id="(\w+)"') | keys(r'_ask_address\("(\w+)"')
    assert steps | {"pick_implementation"} == (
        set(config["step"]) | set(ENGLISH["options"]["step"])
    )


def test_triggers_and_conditions() -> None:
    for name, code in (("triggers", TRIGGERS), ("conditions", CONDITIONS)):
        described = load_yaml_dict(str(FOLDER / f"{name}.yaml"))
        shown = {key: rule for key, rule in described.items() if key[:1] != "."}
        assert set(shown) == set(code) == set(ENGLISH[name]) == set(ICONS[name])
        for key, rule in shown.items():
            assert set(rule["fields"]) == set(ENGLISH[name][key]["fields"])
    connections = ENGLISH["selector"]["controller_connection"]["options"]
    assert set(connections) == set(CONNECTIONS)
    assert set(ENGLISH["selector"]["problem"]["options"]) == set(KEYS)
    assert set(ENGLISH["selector"]["reading"]["options"]) == {
        reading.key for reading in READINGS
    }


POOL = {
    **dict.fromkeys(("en", "de", "sv"), "pool"),
    **dict.fromkeys(("es", "it", "fr", "pt-BR"), "piscin"),
    "nl": "zwembad",
    "cs": "bazén",
}


def test_a_search_for_the_pool_finds_all() -> None:
    """Names of triggers and conditions contain the word for a pool in each language."""
    for language, word in POOL.items():
        found = load(f"translations/{language}.json")
        for rule in (*found["triggers"].values(), *found["conditions"].values()):
            assert word in rule["name"].casefold(), rule["name"]


def test_french_signs_stay_on_the_line_of_their_word() -> None:
    """The space before a colon is one that no line breaks at."""
    french = load("translations/fr.json")
    sentences = {key: found for key, found in french.items() if key != "entity"}
    text = json.dumps(sentences, ensure_ascii=False)
    assert re.findall(r"\w* [:;?!»]|« \w*", text) == []


def test_every_problem_has_a_sentence_and_a_next_step() -> None:
    """Every problem has both, and every text belongs to a problem."""
    rows: tuple[Problem[Any], ...] = (*PROBLEMS, *ACCOUNT_PROBLEMS)
    expected: set[str] = set()
    for row in rows:
        variants = [variant.key for variant in row.variants]
        # A variant that always applies replaces the row's own sentence.
        own = [] if row.key.endswith("_out_of_range") else [row.key]
        expected |= {*own, *variants}
        for key in (*own, *variants):
            step = f"{key}_next" if f"{key}_next" in ENGLISH["common"] else None
            expected.add(step or f"{row.key}_next")
        expected |= {f"{step.key}_next" for step in row.steps}
        actions = (row.action, *(step.action for step in row.steps))
        expected |= {f"action_{a.key}" for a in actions if a and (a.url or a.switch)}
    others = {key for key in ENGLISH["common"] if key.startswith(("why_", "card_"))}
    assert set(ENGLISH["common"]) - others == expected


def test_every_text_of_a_card_is_used() -> None:
    """The cards use every text that is theirs, and every text that they use is there."""
    texts = {
        key.removeprefix("card_")
        for key in ENGLISH["common"]
        if key.startswith("card_")
    }
    named = {
        key for key in texts if key.startswith(("part_", "about_", "rate_", "speed_"))
    }
    words = set(re.findall(r"\w+", CARDS))
    assert texts - named <= words
    lists = " ".join(re.findall(r"(?:contents|const KINDS) = .*\[(.*)\]", CARDS))
    parts = {f"part_{part}" for part in re.findall(r'"(\w+)"', lists)}
    kinds = re.findall(r'^  \["(\w+)", Pool\w+, /', CARDS, re.MULTILINE)
    rates = {f"rate_{rate}" for rate in ("good", "fair", "poor", "none")}
    speeds = {f"speed_{name}" for name in named_speeds(PoolState())}
    assert named == parts | rates | speeds | {f"about_{kind}" for kind in kinds}
    assert set(re.findall(r"this\.text\.(\w+)", CARDS)) <= texts


def test_every_explanation_has_a_sentence() -> None:
    """Every explanation has one, and every sentence belongs to an explanation."""
    causes: tuple[Row[*tuple[Any, ...]], ...] = (
        *OUTPUT_CAUSES,
        *HEATING_CAUSES,
        *DOSING_CAUSES,
        *WARM_BY_CAUSES,
    )
    written = re.compile(r'"([a-z_]+)"')
    sources = "".join(
        (FOLDER / f"status/{name}.py").read_text() for name in ("heating", "output")
    )
    further = {"kept_off", "kept_off_until", "no_end", "until", "next", "of_pump"}
    further |= {"follows", "no_water", "dry", "cooling_down"}
    further |= {"hold_ended", "hold_ended_by_other"}
    kept = {f"kept_{why}" for why in _KEPT}
    further |= {"warm_by_block", "warm_by_unpriced", "warm_by_no_rate"}
    further |= {"warm_by_no_prices", "heat_block", "heat_held"}
    assert further <= set(written.findall(sources))
    expected = {f"why_{cause.key}" for cause in causes} | {
        f"why_{k}" for k in further | kept
    }
    assert expected == {key for key in ENGLISH["common"] if key.startswith("why_")}


def _entity_keys() -> dict[str, set[str]]:
    return {key: set(found) for key, found in ENGLISH["entity"].items()}


_PARTS_OF_NAMES = {
    # for a schedule without a name
    "unnamed_schedule",
    # for the spa's valves in the calendar, where no page names the spa
    "spa_actuator",
}
"""Keys among the switches that are not the translation key of a switch."""


async def test_every_entity_has_a_name_and_an_icon(home: Home) -> None:
    await home.set_up(*home.service.controllers)
    await home.act("number.set_value", "volume", value=50)
    await home.act("button.press", "mark_filter_clean")
    rules = {"fixed": "pump_hours_a_day", "turnovers": "turnovers_a_day"}
    used: dict[str, set[str]] = {"number": set(rules.values())}
    await home.enable_all()
    for key in ("pool_heater_power", "spa_heater_power"):
        full = home.service.full
        await home.act("number.set_value", key, of=full, value=9)
    for rule in rules:
        await home.act("select.select_option", "pump_hours_rule", option=rule)
    await home.refresh()
    await home.enable_all()
    icons = await icon.async_get_icons(home.hass, "entity", {"poolctl"})
    for found in home.entities():
        state = home.state_of(found.entity_id)
        if found.translation_key is None:
            # Named by Home Assistant, after its device class.
            assert found.original_device_class == "ph"
            continue
        used.setdefault(found.domain, set()).add(found.translation_key)
        assert found.translation_key in ENGLISH["entity"][found.domain]
        assert found.translation_key in icons["poolctl"][found.domain]
        assert "{" not in state.name
        shown = ENGLISH["entity"][found.domain][found.translation_key].get("state", {})
        assert {*(found.capabilities or {}).get("options", ())} <= shown.keys()
    # The test pools have only some kinds of equipment: the table has the others.
    used["switch"] |= {
        kind.kind for kind in AUX_TYPES.values() if kind.role in SWITCHED_ROLES
    } | {Role.GENERAL.value, "heater_output", "pump_output"}
    used["light"].add("light_output")
    assert {key: set(found) for key, found in ICONS["entity"].items()} == used
    used["switch"] |= _PARTS_OF_NAMES
    assert used == _entity_keys()


def test_placeholders_are_filled() -> None:
    """The sources give a value for every placeholder in a text."""
    given = keys(r'"(\w+)": ') | keys(r'report\("\w+", (\w+)=') | {"name", "number"}
    mistakes = re.findall(MISTAKE + r"([^)]*)", SOURCES)
    given |= {name for _, more in mistakes for name in re.findall(r"(\w+)=", more)}
    given |= set(re.findall(r"(\w+)=", CLIENT))  # of the client's errors
    given |= set(re.findall(r"(\w+)=", (FOLDER / "prices/reader.py").read_text()))
    filled = re.findall(r"fill\([^{]*\{([^}]*)\}", CARDS)
    given |= set(re.findall(r"\w+", " ".join(filled)))
    for path, text in texts(ENGLISH).items():
        for _, placeholder, _, _ in Formatter().parse(text):
            assert placeholder is None or placeholder in given, path


def test_addresses_are_no_links() -> None:
    """Addresses to copy and examples are formatted as code, so they are not links."""
    for file in (FOLDER / "translations").iterdir():
        for path, text in texts(json.loads(file.read_text())).items():
            for address in ("{example_url}", "{redirect_uri}"):
                # An error is shown without Markdown.
                mark = "" if path.startswith("config.error.") else "`"
                assert address not in text or f"{mark}{address}{mark}" in text, path


def test_a_form_has_an_example_of_the_address() -> None:
    """Whoever is asked for the address of the service sees one."""
    for file in (FOLDER / "translations").iterdir():
        steps = json.loads(file.read_text())["config"]["step"]
        asked = {
            key: step for key, step in steps.items() if "url" in step.get("data", ())
        }
        assert asked.keys() >= {"user", "confirm", "reconfigure_service"}
        for key, step in asked.items():
            assert "{example_url}" in step["data_description"]["url"], (file.name, key)


def test_no_text_has_an_error_of_ours_in_it() -> None:
    """Our errors are English: in other languages, sentences would be half English.

    Only the service's own message about a refused command is shown as it is.
    """
    found = {path for path, text in texts(ENGLISH).items() if "{error}" in text}
    assert found == {"exceptions.service_refused.message"}
    assert not keys(r"\": (str\(err\))")


TIME: Final = "a time may have a date: write (since: {time}), or ({time})"
GIVEN_BACK: Final = "an output is given back to its schedules, not released"
WORDING: Final = (
    ("de", "(?:um|gegen) {time}", TIME),
    ("es", "las {time}", TIME),
    ("it", "(?:alle|le) {time}", TIME),
    ("fr", r"(?<!')\bà {time}", TIME),
    ("nl", r"\bom {time}", TIME),
    ("cs", r"\bv {time}", TIME),
    ("sv", "(?:kl.|[Kk]lockan) {time}", TIME),
    ("pt-BR", "[àa]s {time}", TIME),
    # One thing has one term, the one that Home Assistant uses in that language.
    ("fr", "[Rr]éparation", "correction"),
    ("sv", "[Rr]eparation", "lagning"),
    ("sv", r"\b(?:[Ss]|[Pp]ools)tyrning(?:en)?\b", "styrenhet"),
    ("nl", r"\b[Ii]nlog|ingelogd|\b[Ll]og (?:opnieuw )?in\b", "aanmelden"),
    ("cs", "[Dd]ashboard", "ovládací panel"),
    ("pt-BR", "[Pp]aine", "dashboard"),
    ("es", r"[Pp]anel(?:es)?\b", "tablero"),
    ("de", r"\bNetz\b", "Netzwerk"),
    ("de", r"\b(?:\w+en|Ihre[mnrs]?) Sie\b", "du"),
    ("nl", r"\b[Hh]aar\b|\b[Zz]e (?:antwoordt|voert|zit|meldt)", "de besturing, die"),
    ("en", "[Rr]eleas", GIVEN_BACK),
    ("de", r"[Ff]reigeben?\b", GIVEN_BACK),
    ("fr", "[Ll]ib[éè]r", GIVEN_BACK),
    ("es", "[Ll]iber", GIVEN_BACK),
    ("it", "[Rr]ilasci", GIVEN_BACK),
    ("nl", "[Vv]rijge", GIVEN_BACK),
    ("cs", "[Uu]vol[nň]", GIVEN_BACK),
    ("sv", "[Ss]läpp", GIVEN_BACK),
    ("pt-BR", "[Ll]ibera", GIVEN_BACK),
)
"""Language, words that are not in it, and what to write."""


def test_the_wording_of_a_language() -> None:
    for language, other, instead in WORDING:
        for path, text in texts(load(f"translations/{language}.json")).items():
            assert not re.search(other, text), f"{language} {path}: {instead}"
