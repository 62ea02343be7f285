"""The sign-in page of the pool service, filled in as a browser would."""

from .api import new_session
from .errors import ApiError
from .settings import Account


async def sign_in_at_service(authorize_url: str, account: Account) -> None:
    """Sign in at the pool service and follow its redirect back to Home Assistant.

    Raises ApiError when the service refuses the account.
    """
    form = {"email": account.name, "password": account.password}
    async with (
        new_session() as browser,
        browser.post(authorize_url, data=form) as response,
    ):
        # A sign-in ends with a redirect: without one, it has failed.
        if not (response.ok and response.history):
            raise ApiError(
                f"sign-in of {account.name} was refused ({response.status}):"
                f" {(await response.text())[:200]}"
            )
