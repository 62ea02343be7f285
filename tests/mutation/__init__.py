"""Mutation testing: does a test fail when the code is wrong? See __main__.py."""
