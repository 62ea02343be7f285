"""Why an output, a heater or a doser runs or does not: from recorded facts alone.

An explanation is a list of sentences, by the keys of their texts (`common` in
`translations/`, with `why_` before each). Nothing is guessed: what no fact explains is said
to be not known.
"""
