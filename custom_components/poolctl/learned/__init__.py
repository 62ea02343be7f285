"""Values derived from reads over time: pure models, fed once per read, and their store."""
