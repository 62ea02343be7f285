"""Masking of raw data: what is not known to be harmless is replaced at equal length.

Of JSON, only these stay: the names of fields that the protocol has, the words of the
protocol, and the numbers directly after the name of a measured value. So no name, address,
place or serial number enters a recording, wherever it stands: in a value, a key, or a
list. Binary data keep their documented layout, without texts.
"""

import re
from typing import Final

from ..client import ReplyError
from ..client.wire import documented_spans, string_spans

_MEASURED: Final = frozenset(
    b"""
    actual_flow_rate actual_flowrate actual_orp actual_ph actual_pressure
    actual_pump_speed actual_speed ambient_temp aux_slot aux_slot_num aux_status
    aux_switch_state aux_timer aux_timer_remain_sec aux_type_code acid_dose_interval
    acid_dose_rate acid_dosing_time acid_drum_volume chemistry_stable
    chlorine_drum_volume chlorine_save_setpoint current_dose_today d_orp_mineral d_ph
    desire_orp_value desire_ph_value desire_pool_temp desire_spa_temp
    desired_orp_level_liquid desired_orp_level_mineral desired_ph_level dry_run_status
    end_time expires_in g_pool_light_mode g_pool_light_type_mode g_spa_light_mode
    g_spa_light_type_mode heater_state is_pool_heater_selected is_solar_heater_selected
    is_spa_heater_selected light_color light_type liquid_chlorine_dosing
    liquid_dose_rate liquid_dose_time main_pump_status max_ph_dose_per_day
    max_mineral_duration motor_status orp_controlled orp_switch_status orp_value
    ozone_save_setpoint ph_dose_interval ph_dose_rate ph_dosing ph_dosing_time
    ph_switch_status ph_value pump_cooldown pump_cooldown_left pump_speed
    remain_acid_volume remain_chlorine_volume reset_acid_volume reset_chlorine_volume
    schedule_id schedule_num schedule_state slot solar_state spa_heater_state
    start_time target_temp temp2_ch temp3_ch water_temp
    """.split()
)
"""Fields of the protocol whose numbers describe a pool and identify nobody."""
_FIELDS: Final = _MEASURED | frozenset(
    b"""
    access_token ambientTemp aux_tag category chemistry chlorineSettings city d dashboard
    data day_of_week deviceId device_list devices email env envelope_key err error
    error_description id key key_hex manual message name next objectId ok online other_devices
    phSettings preferred_username pump pump_brand pump_devices pump_linked_devices
    pump_model pump_type refresh_token role scheduleInfo schedule_name schedules scope
    sites spa spa_devices state status sub temperature token_type total week_days
    """.split()
)
_NAMES: Final = _FIELDS | frozenset(
    b"""
    aux cmd evt_rewind schedule set_time state aux_names get_chlorine_settings
    get_ph_settings get_pool_light_switch_mode pump_id v2_temp_get set_chlorine_settings
    set_ph_settings set_pool_light_switch_mode v2_manual_set v2_temp_set auxInfo
    ambientTemp changeScheduleStatus chemistryCard createSchedule dashboardInfo
    deleteSchedule deviceOnlineStatuses envelope-key manualSet pumpInfo scheduleInfo
    setChlorineSettings setPhSettings setPumpInfo updateSchedule userinfo
    """.split()
)
"""Also the names of queries, actions, commands and endpoints."""
_WORDS: Final = frozenset(
    {b"pool", b"spa", b"Single Speed", b"SUCCESS", b"FAILED", b"PENDING", b"QUEUED"}
)
"""Texts of the protocol itself: without them, a reply would have another meaning."""

_WAIT: Final = re.compile(
    rb"(retry after \d{1,3}s|retry after 1m0s|too many pending)", re.IGNORECASE
)
"""Parts of a message that are published, and stay in it."""
_RUN = re.compile(rb"(?:[\x20-\x7e]|[\xc2-\xf4][\x80-\xbf]{1,3}){3,}")
"""Bytes that may be text in UTF-8."""
_TOKEN = re.compile(
    rb'"(?P<text>(?:[^"\\]|\\.)*)(?P<end>"?)'
    rb"(?:(?P<colon>\s*:\s*)(?P<number>-?\d{1,7}(?:\.\d{1,3})?(?![^\s,}\]]))?)?"
    rb'|(?P<constant>(?:true|false|null)(?![^\s,}\]]))|[^\s{}\[\],:"]+',
    re.DOTALL,
)
"""A text with the number that it names, a constant, or anything else, as a number."""


def masked_frame(payload: bytes) -> bytes:
    """Return a state frame; possible texts outside its documented parts are masked."""
    parts, at = list[bytes](), 0
    for start, end in (*documented_spans(payload), (len(payload), len(payload))):
        parts += [masked_text(payload[at:start]), payload[start:end]]
        at = end
    return b"".join(parts)


def masked_reply(name: str, payload: bytes) -> bytes:
    """Return the reply to a query, or the payload of an action, with masked texts.

    Nothing but the length is kept of one whose name is not known.
    """
    if name.encode() not in _NAMES:
        is_json = payload.startswith((b"{", b"["))
        return masked_answer(payload) if is_json else b"x" * len(payload)
    try:
        spans, end = string_spans(name, payload)
    except ReplyError:
        return masked_text(payload)
    data = bytearray(payload)
    for start, stop in spans:
        text = payload[start:stop]
        if text not in (_NAMES if name == "cmd" else _WORDS):
            data[start:stop] = b"x" * (stop - start)
    return bytes(data[:end]) + masked_answer(payload[end:])


def masked_answer(data: bytes) -> bytes:
    """Return JSON, even if it is damaged, or any other data with masked texts."""
    if data.lstrip()[:1] in (b"{", b"[", b'"'):
        return _TOKEN.sub(_masked, data)
    return masked_text(data)


def masked_text(data: bytes) -> bytes:
    """Return data in which everything that may be text is masked."""
    return _RUN.sub(lambda run: b"x" * len(run[0]), data)


def shown_name(name: str) -> str:
    """Return the name of a query, command or endpoint; of an unknown one, its length."""
    known = name.encode() in _NAMES
    return name if known else f"a name of {len(name)} characters"


def _masked(match: re.Match[bytes]) -> bytes:
    """Return a token of JSON that stays what it is: a text, a number or a constant."""
    text, colon, number = match.group("text", "colon", "number")
    if match["constant"]:
        return match[0]
    if text is None:
        return _unnamed(match[0])
    if text not in (_FIELDS if colon else _WORDS):
        parts = _WAIT.split(text)  # every second one is published
        parts[::2] = [b"x" * len(part) for part in parts[::2]]
        text = b"".join(parts)
    if number and text not in _MEASURED:
        number = _unnamed(number)
    return b'"' + text + match["end"] + (colon or b"") + (number or b"")


def _unnamed(token: bytes) -> bytes:
    """Return a number whose digits are all 9, or a masked word."""
    is_number = re.fullmatch(rb"-?\d+(\.\d+)?([eE][+-]?\d+)?", token)
    return re.sub(rb"\d", b"9", token) if is_number else b"x" * len(token)
