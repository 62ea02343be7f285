"""Bytes and JSON of the controller and the service to values, and back.

On the LAN, `envelope.py` signs and verifies, `frame.py` decodes the state, and
`commands.py` encodes actions and decodes the replies to queries. `cloud_answers.py` reads
what the service says. Both use `http.py` (one exchange), `json_values.py` (texts and
numbers that may be invalid) and `exceptions.py`.

Every layout is here and nowhere else, with its mark: published, observed or chosen
(protocol.md). `spans.py` shows which bytes of a frame are documented.
"""
