"""Mutation testing: is there a test that fails when the code is wrong? See __main__.py."""
