"""Forms of set-up and options, previews of discovered controllers, account identity."""
