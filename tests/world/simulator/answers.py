"""Forms of the answers of the cloud."""

from collections.abc import Mapping
from typing import Any, Final

from aiohttp import web

from .wire import Json

NONE: Final[Mapping[str, str]] = {}


def success(data: Json | None = None) -> dict[str, Any]:
    """Build the body of a success (protocol.md 2.1)."""
    return {"status": "SUCCESS", "data": data or {}}


def failed(
    message: str, status: int = 200, headers: Mapping[str, str] = NONE
) -> web.Response:
    """Return a failure (protocol.md 2.1)."""
    body = {"status": "FAILED", "message": message}
    return web.json_response(body, status=status, headers=headers)


def page(title: str, status: int = 200) -> web.Response:
    """Return a web page, as a proxy does."""
    text = f"<!doctype html><title>{title}</title><h1>{title}</h1>"
    return web.Response(text=text, status=status, content_type="text/html")
