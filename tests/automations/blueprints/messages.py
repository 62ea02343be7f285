"""Blueprints that tell: water out of range, what needs attention."""

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from pytest_homeassistant_custom_component.common import async_mock_service

from custom_components.poolctl import PLATFORMS

from .house import Blueprint, Change, Happening, House, Never, edited, passes, water

TELL = [
    {
        "action": "test.tell",
        "data": {
            "title": "{{ title }}",
            "message": "{{ message }}",
            "data": {"actions": "{{ buttons | default }}"},
        },
    }
]
NO_HANDS = Never("It switches nothing that a person could switch.")
NO_LAN = Never("It tells what Home Assistant knows, by whatever path.")


def messages(house: House) -> list[str]:
    """Return the titles of the messages since the last step."""
    calls = [*house.messages]
    house.messages.clear()
    if calls:
        house.last = calls[-1]
    return [call.data["title"] for call in calls]


def message(*lines: str) -> Happening:
    """Check how each line of the last message starts."""

    def check(house: House) -> None:
        shown = house.last.data["message"].splitlines()
        for line, expected in zip(shown, lines, strict=True):
            assert line.startswith(expected)

    return check


# Water out of range


def still_water(house: House) -> None:
    house.pool.water.drift = 0.0
    house.pool.water.ph, house.pool.water.orp = 7.4, 700


PH_80 = "Home pool: pH 8.0 is too high: 7.0 to 7.8 is good."
PH_82 = "Home pool: pH 8.2 is too high: 7.0 to 7.8 is good."
ORP = "Home pool: ORP 500 mV is too low: 600 to 850 mV is good."
RIGHT = "Home pool: water right again"


def telling_fails(house: House) -> None:
    error = HomeAssistantError("no")
    async_mock_service(house.hass, "test", "tell", raise_exception=error)


def telling_works(house: House) -> None:
    house.messages = async_mock_service(house.hass, "test", "tell")


CHEMISTRY = Blueprint(
    name="chemistry_out_of_range",
    platforms=tuple(PLATFORMS),
    fine=12,
    prepare=still_water,
    inputs={"notify": TELL, "lasting": {"minutes": 8}},
    shows=messages,
    starts=Change(water(ph=8.2), 6, 11),
    stops=Change(water(ph=7.4), 6, 11),
    rests=[],
    acts=[PH_82],
    goes_on=[],
    stopped=[RIGHT],
    on_by_hand=NO_HANDS,
    off_by_hand=NO_HANDS,
    # What was wrong at a start is in no message, and so is its end.
    start_missed=[],
    stop_missed=[],
    stops_after_restart=[],
    cloud_only=NO_LAN,
    own={
        "an incident has one message, and another one once its end has lasted": (
            (edited(lasting=None), 0, []),
            # Wrong for a moment only.
            (water(orp=500), 20, []),
            (water(orp=700), 1, []),
            (passes, 40, []),
            (water(ph=8.2), 1, []),
            (passes, 25, []),
            (passes, 8, [PH_82]),
            (message("Measure the pH by hand."), 0, []),
            (water(ph=8.4), 40, []),
            # Right for a moment only: wrong again is an incident of its own.
            (water(ph=7.4), 5, []),
            (water(ph=8.0), 1, []),
            (passes, 32, [PH_80]),
            (water(ph=7.4), 1, []),
            (passes, 32, [RIGHT]),
            (message("pH is in range again."), 0, []),
        ),
        "each reading has its own message; the one about the end can be turned off": (
            (edited(tell_when_right=False), 0, []),
            (water(ph=8.2), 11, [PH_82]),
            (water(orp=500), 11, [ORP]),
            (water(ph=7.4, orp=700), 40, []),
        ),
        "after a notification that fails, the end is sent all the same": (
            (telling_fails, 0, []),
            (water(ph=8.2), 11, []),
            (telling_works, 0, []),
            (water(ph=7.4), 11, [RIGHT]),
        ),
    },
)

# What needs attention

EMPTY = "Beach pool: The acid drum is empty."
NEARLY_EMPTY = "Beach pool: The acid drum is nearly empty."
SIGN_IN = "Beach pool: You are signed out of the service."


def drum(left: int) -> Happening:
    """Let so many ml of acid be left."""

    def change(house: House) -> None:
        house.pool.settings["acid_remaining"] = left

    return change


def full_drum(house: House) -> None:
    still_water(house)
    drum(20_000)(house)


def sign_in(house: House) -> None:
    house.entry.async_start_reauth(house.hass)


def the_button(house: House) -> dict[str, str]:
    """Return the only button of the last message."""
    (button,) = house.last.data["data"]["actions"]
    found: dict[str, str] = button
    return found


async def the_button_is_pressed(house: House) -> None:
    """Press it in the notification: then the drum is full."""
    button = the_button(house)
    assert button["title"] == "Mark acid drum full"
    data = {"action": button["action"]}
    house.hass.bus.async_fire("mobile_app_notification_action", data)
    await house.wait(seconds=30)
    assert house.pool.settings["acid_remaining"] == 20_000


async def on_a_phone(house: House) -> None:
    """Choose a phone, and nothing else."""
    phone = dr.async_get(house.hass).async_get_or_create(
        config_entry_id=house.entry.entry_id,
        identifiers={("mobile_app", "1")},
        name="Anna's phone",
    )
    house.messages = async_mock_service(house.hass, "notify", "mobile_app_anna_s_phone")
    await house.edit(phones=[phone.id], notify=[])


def the_button_opens_a_page(house: House) -> None:
    button = the_button(house)
    assert (button["action"], button["title"]) == ("URI", "Sign in")
    assert button["uri"].startswith("/config/")


ATTENTION = Blueprint(
    name="needs_attention",
    platforms=tuple(PLATFORMS),
    fine=12,
    full=True,
    prepare=full_drum,
    inputs={"notify": TELL},
    shows=messages,
    starts=Change(drum(0), 4, 12),
    stops=Change(drum(20_000), None, 25 * 60),
    rests=[],
    acts=[EMPTY],
    goes_on=[],
    on_by_hand=NO_HANDS,
    off_by_hand=NO_HANDS,
    start_missed=[],
    away_at_start=Never("It tells that instead: see its own story."),
    away_at_stop=Never("It tells that instead: see its own story."),
    cloud_only=NO_LAN,
    own={
        "a controller that does not answer": (
            (House.disconnect, 12, ["Beach pool: No answer since 12:00."]),
            (House.reconnect, 12, []),
        ),
        "a button in the message does the next step": (
            # A notice was not chosen.
            (drum(1_500), 12, []),
            (drum(0), 12, [EMPTY]),
            (message("Refill the drum"), 0, []),
            (the_button_is_pressed, 12, []),
        ),
        "notices, if they were chosen; a problem is not sent as both": (
            (edited(notices=True), 0, []),
            (drum(0), 12, [EMPTY]),
            (drum(20_000), 25 * 60, []),
            (drum(1_500), 12, [NEARLY_EMPTY]),
            (drum(0), 12, [EMPTY]),
            (drum(20_000), 25 * 60, []),
        ),
        "a page for the next step": (
            (sign_in, 20, [SIGN_IN]),
            (the_button_opens_a_page, 0, []),
        ),
        "the button on a phone, without a template": (
            (on_a_phone, 0, []),
            (drum(0), 12, [EMPTY]),
            (the_button_is_pressed, 12, []),
        ),
    },
)


ALL = (CHEMISTRY, ATTENTION)
