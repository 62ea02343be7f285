"""The integration as a user uses it: entities, automations, schedules, options."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, cast

from tests.world.home.api import HomeAssistant, Json
from tests.world.home.errors import ApiError
from tests.world.home.settings import DOMAIN
from tests.world.home.waiting import until

# Seconds for a round trip to the controller, also on a busy machine.
SECONDS: Final = 30
AUTOMATION: Final = "newest"
BLUEPRINT: Final = "newest_freeze_guard"


@dataclass(frozen=True, slots=True)
class Act:
    """An action on one entity, and the state to expect then."""

    domain: str
    key: str
    """Unique id, without the part of the controller."""
    action: str
    expected: object
    """The state, or the value of `attribute`."""
    data: Json = field(default_factory=dict)
    attribute: str | None = None

    def holds(self, state: Json) -> bool:
        found = state["attributes"].get(self.attribute) if self.attribute else None
        return bool((found if self.attribute else state["state"]) == self.expected)


# With LAST, everything is as it was in the end.
ACTS: Final = (
    Act("switch", "slot_3", "turn_on", "on"),
    Act("switch", "slot_3", "turn_off", "off"),
    Act("light", "slot_1", "turn_on", "on"),
    Act("light", "slot_1", "turn_off", "off"),
    Act(
        "climate",
        "pool_heating",
        "set_temperature",
        31,
        {"temperature": 31},
        "temperature",
    ),
    Act(
        "climate",
        "pool_heating",
        "set_temperature",
        28,
        {"temperature": 28},
        "temperature",
    ),
    Act("climate", "pool_heating", "set_hvac_mode", "off", {"hvac_mode": "off"}),
    Act("climate", "pool_heating", "set_hvac_mode", "heat", {"hvac_mode": "heat"}),
    Act("select", "spa_light_type", "select_option", "other", {"option": "other"}),
    Act(
        "select",
        "spa_light_type",
        "select_option",
        "aquaquip_multi_colour",
        {"option": "aquaquip_multi_colour"},
    ),
    # Fires the trigger needs_attention.
    Act("number", "chlorine_low_level", "set_value", "50", {"value": 50}),
)
LAST: Final = (Act("number", "chlorine_low_level", "set_value", "10", {"value": 10}),)

# Name, the entity that it is about, options.
TRIGGERS: Final[tuple[tuple[str, str, str, Json], ...]] = (
    ("connection_changed", "sensor", "connection", {"connection": ["lost"]}),
    ("needs_attention", "sensor", "status", {"kinds": ["chlorine_low"]}),
    ("reading_out_of_range", "sensor", "ph", {"reading": "ph"}),
    ("reading_out_of_range", "sensor", "orp", {"reading": "orp"}),
    ("target_reached", "climate", "pool_heating", {}),
)
# One of them at least is true: the connection is there.
CONDITIONS: Final[tuple[tuple[str, str, str, Json], ...]] = (
    ("all_is_well", "sensor", "status", {}),
    ("is_connection", "sensor", "connection", {"connection": ["lan", "cloud"]}),
    ("reading_in_range", "sensor", "ph", {"reading": "ph"}),
    ("reading_in_range", "sensor", "orp", {"reading": "orp"}),
)


class Exercise:
    """A user of the simulated pool with the most entities."""

    def __init__(self, home: HomeAssistant, entities: list[Json]) -> None:
        """Find the pool with the most entities."""
        self.home = home
        # A MAC address comes first in each unique id.
        pools = [entity["unique_id"][:17] for entity in entities]
        pool = max(set(pools), key=pools.count)
        self._ids = {
            (entity["entity_id"].partition(".")[0], entity["unique_id"][18:]): entity
            for entity in entities
            if entity["unique_id"].startswith(pool)
        }

    def id_of(self, domain: str, key: str) -> str:
        if (entity := self._ids.get((domain, key))) is None:
            raise ApiError(f"there is no {domain} {key}")
        return str(entity["entity_id"])

    async def run(self) -> None:
        """Run all steps; raise HomeError at the first that does not work."""
        await self._automate()
        before = await self._last_triggered()
        for act in ACTS:
            await self._act(act)
        await until(
            self._last_triggered,
            lambda when: when != before,
            what="the trigger needs_attention",
            seconds=SECONDS,
        )
        for act in LAST:
            await self._act(act)
        await self._press()
        await self._schedules()
        await self._options()
        await self._diagnostics()

    async def _act(self, act: Act) -> None:
        entity_id = self.id_of(act.domain, act.key)
        await self.home.call(act.domain, act.action, entity_id=entity_id, **act.data)
        await self._until(entity_id, act.holds, f"{entity_id} after {act.action}")

    async def _until(
        self, entity_id: str, accept: Callable[[Json], bool], what: str
    ) -> Json:
        return await until(
            lambda: self._state(entity_id), accept, what=what, seconds=SECONDS
        )

    async def _state(self, entity_id: str) -> Json:
        absent: Json = {"state": None, "attributes": {}}
        return (await self.home.states()).get(entity_id, absent)

    async def _press(self) -> None:
        entity_id = self.id_of("button", "resume_schedules")
        await self.home.call("button", "press", entity_id=entity_id)
        await self._until(
            entity_id, lambda state: state["state"] != "unknown", "the button"
        )

    async def _automate(self) -> None:
        """Add an automation of every trigger and condition, and one of a blueprint."""
        path = "/api/config/automation/config"
        await self.home.post(f"{path}/{AUTOMATION}", self._rule())
        inputs = {
            "pump": self.id_of("switch", "pump"),
            "thermometers": [self.id_of("sensor", "air_temperature")],
        }
        blueprint = {"path": f"{DOMAIN}/pump_freeze_guard.yaml", "input": inputs}
        await self.home.post(
            f"{path}/{BLUEPRINT}", {"alias": BLUEPRINT, "use_blueprint": blueprint}
        )
        for name in (AUTOMATION, BLUEPRINT):
            await self._until(
                f"automation.{name}",
                lambda state: bool(state["state"] == "on"),
                f"the automation {name}",
            )

    def _rule(self) -> Json:
        """Return an automation; at least one of its conditions is true."""
        return {
            "alias": AUTOMATION,
            "triggers": [self._clause("trigger", *row) for row in TRIGGERS],
            "conditions": [
                {
                    "condition": "or",
                    "conditions": [
                        self._clause("condition", *row) for row in CONDITIONS
                    ],
                }
            ],
            "actions": [{"event": AUTOMATION}],
        }

    def _clause(
        self, kind: str, name: str, domain: str, key: str, options: Json
    ) -> Json:
        target = {"entity_id": self.id_of(domain, key)}
        clause: Json = {kind: f"{DOMAIN}.{name}", "target": target}
        return clause | ({"options": options} if options else {})

    async def _last_triggered(self) -> object:
        state = await self._state(f"automation.{AUTOMATION}")
        return state["attributes"].get("last_triggered")

    async def _schedules(self) -> None:
        """Add a schedule and remove it again; read the week in the calendar."""
        calendar = self.id_of("calendar", "schedules")
        await self._ask(
            "create_schedule",
            entity_id=calendar,
            name="Newest",
            start="03:00:00",
            end="03:30:00",
            weekdays=["mon"],
            equipment=self.id_of("switch", "slot_3"),
        )
        (added,) = await until(
            lambda: self._named("Newest", calendar),
            all,
            what="the new schedule has a switch",
            seconds=SECONDS,
        )
        await self.home.call(DOMAIN, "delete_schedule", entity_id=added)
        if left := await self._named("Newest", calendar):
            raise ApiError(f"these schedules are left: {left}")
        week = await self._ask(
            "get_events",
            domain="calendar",
            entity_id=calendar,
            duration={"days": 7},
        )
        if not week[calendar]["events"]:
            raise ApiError("the calendar is empty")

    async def _named(self, name: str, calendar: str) -> list[str | None]:
        """Return the switches of the schedules with a name; a new one has none yet."""
        listed = (await self._ask("get_schedules", entity_id=calendar))[calendar]
        return [
            schedule["schedule_entity"]
            for schedule in listed["schedules"]
            if schedule["name"] == name
        ]

    async def _ask(self, action: str, domain: str = DOMAIN, **data: object) -> Json:
        """Perform an action, and return its response."""
        answer = await self.home.command(
            "call_service",
            domain=domain,
            service=action,
            service_data=data,
            return_response=True,
        )
        return cast("Json", answer["response"])

    async def _options(self) -> None:
        """Save the options as they are."""
        entry = (await self.home.entries(DOMAIN))[0]
        path, step = await self.home.open_options(entry["entry_id"])
        answers = {row["name"]: row["default"] for row in step["data_schema"]}
        step = await self.home.post(path, answers)
        if step["type"] != "create_entry":
            raise ApiError(f"the options were not taken: {step}")
        connection = self.id_of("sensor", "connection")
        await self._until(
            connection, lambda state: state["state"] == "lan", "the entry with options"
        )

    async def _diagnostics(self) -> None:
        entry = (await self.home.entries(DOMAIN))[0]
        path = f"/api/diagnostics/config_entry/{entry['entry_id']}"
        if not (await self.home.get(path))["data"]:
            raise ApiError("the diagnostics are empty")
