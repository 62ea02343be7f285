"""Explanations why an output, heater or doser runs or not, from recorded facts only.

An explanation is a list of sentences, by the keys of their texts (`common` in
`translations/`, prefix `why_`). Nothing is guessed: without a fact, it is `unknown`.
"""
