"""Forms of setup and options, the preview of a discovered controller, account identity."""
