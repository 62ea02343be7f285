"""Reading the state of a controller without its key.

Published: `state` reads need no credential (protocol.md 5.2 rule 1). The result cannot
be trusted: without the key, no tag can be verified.
"""

from aiohttp import ClientSession

from .lan import answer_of, controller_url, post, request_body
from .wire.envelope import OVERHEAD, from_hex, payload_of
from .wire.exceptions import UnexpectedResponseError


async def unverified_state(
    session: ClientSession, host: str, port: int, *, timeout: float
) -> bytes:
    """Return the unverified state frame of the device that answers at an address.

    Raises the errors of `LanClient.state` that come before verifying and decoding.
    """
    url = controller_url(host, port)
    answer = answer_of(await post(session, url, request_body("state"), timeout))
    if not isinstance(envelope := answer.get("env"), str):
        raise UnexpectedResponseError("the answer has no envelope")
    data = from_hex(envelope)
    if len(data) < OVERHEAD:
        raise UnexpectedResponseError("the envelope is too short")
    return payload_of(data)
