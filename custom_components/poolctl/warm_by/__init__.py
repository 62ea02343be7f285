"""Water that a user wants warm by a time: the request, its outlook and its heating."""
