"""Client of a pool controller, LAN and cloud; knows nothing of Home Assistant."""
