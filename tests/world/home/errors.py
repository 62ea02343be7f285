"""Errors of the development home, with texts for its user."""


class HomeError(Exception):
    """Something in the development home went wrong, as the text describes."""


class ApiError(HomeError):
    """Home Assistant, or the simulated service, refused a request."""


class ChildEndedError(HomeError):
    """A child process ended by itself."""


class TooLateError(HomeError):
    """Something did not happen in time."""
