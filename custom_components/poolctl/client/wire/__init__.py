"""Bytes and JSON of the controller and the service to values, and back.

On the LAN, `envelope.py` signs and verifies, `frame.py` decodes the state, and
`commands.py` encodes actions and decodes the replies to queries. `cloud_answers.py` reads
what the service says. Both use `http.py` (one exchange), `json_values.py` (texts and
numbers that may be invalid) and `exceptions.py`.

Every layout is here and nowhere else, with its mark: published, observed or chosen
(protocol.md). `spans.py` shows which bytes of a frame are documented.
"""

from .commands import PumpIdentity, string_spans
from .envelope import MAX_COUNTER
from .frame import (
    FLAGS2,
    FRAME_VERSIONS,
    PUMP_TIMES,
    StateFrame,
    Telemetry,
    decode_frame,
    decode_signals,
    plausible,
    sections,
    slots_in,
)
from .json_values import clean_text
from .spans import documented_spans, telemetry_spans

__all__ = [
    "FLAGS2",
    "FRAME_VERSIONS",
    "MAX_COUNTER",
    "PUMP_TIMES",
    "PumpIdentity",
    "StateFrame",
    "Telemetry",
    "clean_text",
    "decode_frame",
    "decode_signals",
    "documented_spans",
    "plausible",
    "sections",
    "slots_in",
    "string_spans",
    "telemetry_spans",
]
