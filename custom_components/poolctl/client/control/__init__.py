"""Control of one controller: polling it and sending commands to it."""
