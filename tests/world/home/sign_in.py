"""The sign-in page of the pool service, filled in as a browser would."""

from html.parser import HTMLParser
from typing import override

import aiohttp
from yarl import URL

from .api import new_session
from .errors import ApiError
from .settings import Account


class SignInForm(HTMLParser):
    """The first form of a page: where it goes, and its fields by type and name."""

    def __init__(self, page: str) -> None:
        """Read a page."""
        super().__init__()
        self.action: str | None = None
        self.method = "get"
        self._fields: list[dict[str, str]] = []
        self.feed(page)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form" and self.action is None:
            self.action = found.get("action", "")
            self.method = found.get("method", "get").lower()
        elif tag == "input" and "name" in found:
            self._fields.append(found)

    def filled_in(self, account: Account) -> dict[str, str]:
        """Return the fields that a browser sends once a user has filled them in."""
        typed = {
            "email": account.name,
            "text": account.name,
            "password": account.password,
        }
        return {
            field["name"]: typed.get(field.get("type", "text"), field.get("value", ""))
            for field in self._fields
        }


async def sign_in_at_service(authorize_url: str, account: Account) -> None:
    """Sign in at the pool service and follow its redirect back to Home Assistant.

    Raises ApiError when the service refuses the account.
    """
    async with new_session() as browser:
        async with browser.get(authorize_url) as response:
            page = await response.text()
            form = SignInForm(page)
            if not response.ok or form.action is None:
                raise ApiError(f"no sign-in page ({response.status}): {page[:200]}")
            target = (
                response.url.join(URL(form.action)) if form.action else response.url
            )
        await _submit(browser, form, target, account)


async def _submit(
    browser: aiohttp.ClientSession, form: SignInForm, target: URL, account: Account
) -> None:
    async with browser.request(
        form.method, target, data=form.filled_in(account)
    ) as response:
        # A sign-in ends with a redirect: without one, it has failed.
        if not (response.ok and response.history):
            raise ApiError(
                f"sign-in of {account.name} was refused ({response.status}):"
                f" {(await response.text())[:200]}"
            )
