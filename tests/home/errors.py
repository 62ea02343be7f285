"""What can go wrong in the development home, in words for a person."""


class HomeError(Exception):
    """Something in the development home went wrong; the text says what."""


class ApiError(HomeError):
    """Home Assistant, or the simulated service, refused what was asked."""


class ChildEndedError(HomeError):
    """A child process ended by itself."""


class TooLateError(HomeError):
    """Something did not happen in time."""
