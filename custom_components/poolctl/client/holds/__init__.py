"""What is undone later: holds of outputs, pauses of dosing, selected heat sources.

Each is a claim (`claim.py`): one thing that was changed, its end, and the table of its
states. One engine follows the claims of a kind and undoes them (`claims.py`, chosen),
with one rule for retries. Each kind says what a read shows of it, and how it is undone:
outputs (`hold.py`, `holds.py`, `evidence.py`, `rules.py`), dosers (`pauses.py`) and heat
sources (`heat.py`). The override of a slot is observed (protocol.md O2.1, O3).

What an event does in each state; "-" changes nothing, "over" ends the claim:

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

- requested: its command was sent, and neither a reply nor a read shows the outcome yet.
  *previous* is the hold that it replaces, if any. A hold that needs no override (off
  while no schedule would run the output) stays here until reads show that none was set.
- active: it is in effect. doubtful: a read does not show it. due: its end has come.
- releasing: the release is in progress. stuck: the controller declines the release.
- watched: it was released when its schedule ended; if that schedule starts the output
  again, the controller's clock differs. Every other release ends the hold.

Events:

- held: a read shows the hold. other: it does not. gone: a later read agrees with that.
- ended: its end has come (if watched: the time to watch is over). moved: its end lies
  in the future again.
- confirmed: the command took effect. refused: it certainly did not.
- tried: a release begins. released: it is confirmed. unanswered: it got no answer.
  declined: it was declined.
- restarted: its schedule runs the output although its window is over.
"""
