"""Reading the state of a controller without its key.

Published: `state` reads need no credential (interface.md 5.2 rule 1). The result cannot
be trusted: without the key, no tag can be verified.
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
    """Return the unverified state frame of the device that answers at an address.

    Raises the errors of `LanClient.state` that come before verifying and decoding.
    """
    url = controller_url(host, port)
    answer = await ask_controller(session, url, request_body("state"), timeout)
    if not isinstance(envelope := answer.get("env"), str):
        raise UnexpectedResponseError("the answer has no envelope")
    data = from_hex(envelope)
    if len(data) < _HEAD + _TAG:
        raise UnexpectedResponseError("the envelope is too short")
    return data[_HEAD:-_TAG]
