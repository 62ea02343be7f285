"""Holds: outputs that a person switched against their schedules, until they are released.

This package owns all of it (design.md 5, chosen): what is sent and for how long
(`rules.py`), what a read shows (`evidence.py`), the states (`machine.py`), and the holds of
one controller with their releases and retries (`owner.py`). The override of a slot is
observed (layouts.md 2.1, 3).

What an event does in each state; "-" changes nothing, "over" ends the hold:

| State     | held   | other    | gone     | ended | moved  | confirmed | refused  | tried     | released | unanswered | declined | restarted |
|-----------|--------|----------|----------|-------|--------|-----------|----------|-----------|----------|------------|----------|-----------|
| requested | active | -        | previous | -     | -      | active    | previous | -         | -        | -          | -        | -         |
| active    | -      | doubtful | over     | due   | -      | -         | -        | -         | -        | -          | -        | -         |
| doubtful  | active | -        | over     | -     | -      | -         | -        | -         | -        | -          | -        | -         |
| due       | -      | doubtful | over     | -     | active | -         | -        | releasing | -        | -          | -        | -         |
| releasing | -      | -        | -        | -     | -      | -         | -        | -         | watched  | due        | stuck    | -         |
| stuck     | -      | doubtful | over     | -     | active | -         | -        | releasing | -        | -          | -        | -         |
| watched   | over   | -        | -        | over  | -      | -         | -        | -         | -        | -          | -        | requested |

States:

- requested: its command was sent, and neither a reply nor a read shows yet what came of
  it. *previous* is the hold that it replaces, if any. A hold that needs no override (off
  while no schedule would run the output) stays here until reads show that none was set.
- active: it lasts. doubtful: a read does not show it. due: its end has come.
- releasing: the release is under way. stuck: the controller declines the release.
- watched: it was released when its schedule ended; if that schedule starts the output
  again, the controller's clock differs. Every other release ends the hold.

Events:

- held, other: a read shows the hold, or not. gone: a later read agrees that it does not.
- ended: its end has come (of a watched one: the time to watch it is over). moved: its end
  lies ahead again.
- confirmed: the command took effect. refused: it certainly did not.
- tried, released, unanswered, declined: a release begins, is confirmed, got no answer, or
  a no.
- restarted: its schedule runs the output although its window is over.
"""
