"""The sign-in page of the simulated service."""

from collections.abc import Mapping
from html import escape
from string import Template
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

STYLE: Final = """
:root { color-scheme: light dark; --accent: #0b6e99; --line: #8885; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: Canvas;
  color: CanvasText; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
button, .button { font: inherit; padding: .5rem 1rem; border-radius: .5rem;
  border: 1px solid var(--line); background: ButtonFace; color: ButtonText;
  cursor: pointer; text-decoration: none; }
.primary { background: var(--accent); border-color: var(--accent); color: #fff; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
"""

_SIGN_IN: Final = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in - Pool Cloud (simulated)</title>
<link rel="icon" href="data:,">
<style>$style
main { max-width: 24rem; margin: 12vh auto; padding: 2rem;
  border: 1px solid var(--line); border-radius: 1rem; }
label { display: block; margin-top: 1rem; }
input { font: inherit; width: 100%; padding: .5rem; border-radius: .5rem;
  border: 1px solid #888; }
.error { color: #fff; background: #a11; padding: .5rem .75rem; border-radius: .5rem; }
.actions { margin-top: 1.5rem; display: flex; gap: .75rem; align-items: center; }
</style>
</head>
<body>
<main>
<h1>Pool Cloud</h1>
<p>Sign in to let an application control your pools.</p>
$error
<form method="post">
$hidden
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username"
  value="$email" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password"
  autocomplete="current-password" required>
<div class="actions">
<button class="primary" type="submit">Sign in</button>
<a class="button" id="cancel" href="$cancel">Cancel</a>
</div>
</form>
</main>
</body>
</html>
""")


def sign_in(fields: Mapping[str, str], *, email: str = "", error: str = "") -> str:
    """Render the sign-in form; `fields` are the parameters of the request."""
    cancel = redirect_to(
        fields["redirect_uri"], error="access_denied", state=fields.get("state", "")
    )
    hidden = (
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in fields.items()
    )
    return _SIGN_IN.substitute(
        style=STYLE,
        error=f'<p class="error" role="alert">{escape(error)}</p>' if error else "",
        hidden="\n".join(hidden),
        email=escape(email),
        cancel=escape(cancel),
    )


def redirect_to(uri: str, **parameters: str) -> str:
    parts = urlsplit(uri)
    query = "&".join(filter(None, (parts.query, urlencode(parameters))))
    return urlunsplit(parts._replace(query=query))


def is_redirect(uri: str) -> bool:
    """Return whether an address is a valid redirect target: absolute, no fragment."""
    parts = urlsplit(uri)
    return parts.scheme in ("http", "https") and bool(
        parts.netloc and not parts.fragment
    )
