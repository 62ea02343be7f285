"""A first look at a controller without its key: reading its state needs no credential.

Published: `state` reads need no credential (interface.md 5.2 rule 1). Nobody vouches for
what they tell: without the key, no tag can be verified.
"""

import struct

from aiohttp import ClientSession

from .envelope import from_hex
from .exceptions import UnexpectedResponseError
from .lan import ask_controller, controller_url, request_body

_HEAD = struct.calcsize("<BI")
_TAG = 4


async def unverified_state(
    session: ClientSession, host: str, port: int, *, timeout: float
) -> bytes:
    """Return the state frame of whoever answers there, verified by nothing.

    Raises what `LanClient.state` raises but SignatureError and ReplayError.
    """
    url = controller_url(host, port)
    answer = await ask_controller(session, url, request_body("state"), timeout)
    if not isinstance(envelope := answer.get("env"), str):
        raise UnexpectedResponseError("the answer has no envelope")
    data = from_hex(envelope)
    if len(data) < _HEAD + _TAG:
        raise UnexpectedResponseError("the envelope is too short")
    return data[_HEAD:-_TAG]
