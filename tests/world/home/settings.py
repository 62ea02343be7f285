"""Settings of the development home: folders, ports and accounts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

DOMAIN: Final = "poolctl"
REPOSITORY: Final = Path(__file__).resolve().parents[3]

# Everything listens on this machine only: the passwords below are public.
LOOPBACK: Final = "127.0.0.1"
CONTROLLER_HOSTS: Final = (LOOPBACK, "127.0.0.2")

# The last line that scripts/develop prints once everything is ready.
READY_LINE: Final = "Ctrl-C stops everything."


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """A name and its password."""

    name: str
    password: str


HOME_USER: Final = Account(name="demo", password="demo")
POOL_OWNER: Final = Account(name="demo@example.com", password="demo")
OAUTH_CLIENT: Final = Account(name="poolctl-demo", password="poolctl-demo-secret")

# The ports in Settings, each also a command line option, and the programs there.
PORTS: Final = {
    "port": "Home Assistant",
    "cloud_port": "the simulated pool service",
    "control_port": "the page that shows and changes the simulated pools",
    "lan_port": "both simulated controllers",
}


def option(port: str) -> str:
    """Return the command line option of a port."""
    return f"--{port.replace('_', '-')}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """One development home."""

    data: Path = REPOSITORY / ".develop"
    port: int = 8123
    cloud_port: int = 8100
    control_port: int = 8101
    lan_port: int = 8080

    @property
    def config(self) -> Path:
        """The configuration folder of Home Assistant."""
        return self.data / "config"

    @property
    def past(self) -> Path:
        """The file with samples of the demo pools' past."""
        return self.data / "past.json"

    @property
    def home_url(self) -> str:
        """The address of Home Assistant."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def service_url(self) -> str:
        """The service address that a user enters in the config flow."""
        return f"http://{LOOPBACK}:{self.cloud_port}"

    @property
    def control_url(self) -> str:
        """The page that shows and changes the simulated pools."""
        return f"http://{LOOPBACK}:{self.control_port}"

    def port_options(self, *ports: str) -> tuple[str, ...]:
        """Return the command line options that pass these ports on."""
        return tuple(f"{option(port)}={getattr(self, port)}" for port in ports)
