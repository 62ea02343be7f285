"""Locating controllers: announcements, observed addresses, proof, recovery, records."""
