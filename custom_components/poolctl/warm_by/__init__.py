"""Water that a person wants warm by a time: what is asked, foreseen, and done for it."""
