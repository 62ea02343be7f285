"""Where Home Assistant looks for custom integrations."""
