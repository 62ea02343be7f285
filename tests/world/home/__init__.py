"""The development home: a real Home Assistant beside the simulated service."""
