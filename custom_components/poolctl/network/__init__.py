"""Where a controller is: announcements, observed addresses, proof, recovery, records."""
