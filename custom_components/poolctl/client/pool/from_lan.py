"""Merge a state frame of the LAN into a PoolState (protocol.md O2)."""

from dataclasses import replace
from datetime import datetime

from ..wire.equipment import HeatSource
from ..wire.frame import Configuration, Readings, StateFrame, decode_signals, plausible
from .heating import POOL, selected_sources
from .state import PoolState, Source, newer, with_readings, with_timers


def merge_frame(state: PoolState, frame: StateFrame, now: datetime) -> PoolState:
    """Return the state with the values of a LAN frame."""
    state = replace(state, settings_reported=frame.configuration is not None)
    if frame.configuration is not None:
        state = _with_configuration(state, frame.configuration, now)
    if frame.timers is not None:
        remaining = {timer.slot: timer.remaining for timer in frame.timers}
        state = with_timers(state, remaining, now)
    if (reported := frame.telemetry) is None:
        return state
    state = replace(
        state,
        source=Source.LAN,
        outputs=replace(
            state.outputs,
            modes=reported.aux_modes or (),
            held=reported.held_slots,
            assumed=False,
        ),
        schedules=replace(state.schedules, assumed=False),
    )
    signals = decode_signals(reported.flags, reported.flags2)
    return with_readings(state, plausible(Readings, reported), signals, now)


def _with_configuration(
    state: PoolState, frame: Configuration, now: datetime
) -> PoolState:
    frame, previous = plausible(Configuration, frame), selected_sources(state, POOL)
    state = replace(
        state,
        pool_target=frame.pool_target,
        spa_target=frame.spa_target,
        heat={
            HeatSource.POOL_HEATER: frame.pool_heater_selected,
            HeatSource.SOLAR: frame.solar_selected,
            HeatSource.SPA_HEATER: frame.spa_heater_selected,
        },
        acid=replace(
            state.acid,
            desired=frame.desired_ph,
            drum_ml=frame.acid_drum_ml,
            remaining_ml=frame.acid_remaining_ml,
            max_doses=frame.max_ph_doses,
            level_at=now,
        ),
        chlorine=replace(
            state.chlorine,
            desired=frame.desired_orp_liquid,
            drum_ml=frame.chlorine_drum_ml,
            remaining_ml=frame.chlorine_remaining_ml,
            level_at=now,
        ),
        chlorinator=replace(state.chlorinator, desired=frame.desired_orp_mineral),
        prime_time=frame.prime_time,
        preset_speeds=frame.preset_speeds,
        firmware=frame.firmware,
        outputs=replace(
            state.outputs, types=newer(frame.aux_types, state.outputs.types)
        ),
        # Every full frame reports it, so a change arrives sooner than with the records.
        schedules=replace(
            state.schedules, armed=newer(frame.schedules_enabled, state.schedules.armed)
        ),
    )
    # No doubt about the read: a change of several sources takes a moment, and only what
    # lasts for a poll was chosen.
    selected = selected_sources(state, POOL)
    agreed = selected and selected == previous
    return replace(state, pool_sources=selected if agreed else state.pool_sources)
