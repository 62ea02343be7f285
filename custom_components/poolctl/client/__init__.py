"""Client of a pool controller over LAN and cloud, independent of Home Assistant."""
