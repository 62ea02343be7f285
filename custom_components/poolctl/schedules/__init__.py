"""Calendar rules <-> the controller's schedule records."""
