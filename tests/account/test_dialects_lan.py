"""A controller that differs from the assumptions (protocol.md), as a user sees it."""

from ipaddress import IPv4Address

from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
import pytest

from custom_components.poolctl.network.addresses import ObservedAddress
from tests.account.test_dialects_lan_clocks import SLOT, WATERFALL
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("quick")


async def test_names_that_would_be_links(home: Home) -> None:
    """Names from a controller are shown as plain text."""
    home.own(home.service.small)
    home.pool.slots[WATERFALL].name = "![x](http://evil.example)"
    await home.set_up(home.controller)
    assert home.state("switch", SLOT).name.endswith("!(x)(http: //evil.example)")


def test_an_announcement_that_would_be_a_link() -> None:
    info = ZeroconfServiceInfo(
        ip_address=IPv4Address("127.0.0.1"),
        ip_addresses=[],
        port=8080,
        hostname="ctrl-0a0b0c.local.",
        type="_ctrl._tcp.local.",
        name="<b>Pool</b>\udc00._ctrl._tcp.local.",
        properties={
            "id": "AA_BB_CC_0A_0B_0C",
            "mac": "aabbcc0a0b0c",
            "fw": "[2](http://evil.example)",
            "pv": "2",
        },
    )
    observed = ObservedAddress.from_zeroconf(info)
    assert observed is not None
    for text in (observed.name, observed.firmware):
        text.encode()
        assert "://" not in text and not set(text) & set("<>[]")


@pytest.mark.usefixtures("freezer")
async def test_a_frame_without_types_removes_nothing(full: Home) -> None:
    """Entities and devices stay if all types are 0 in one frame (protocol.md L15)."""
    entities, devices = (
        er.async_get(full.hass).entities,
        dr.async_get(full.hass).devices,
    )
    before = set(entities), {device.id for device in devices}
    full.controller.dialects.add("odd_no_types")
    full.controller.frames = 0
    await full.advance(15)
    assert full.controller.frames == 1
    for _ in range(3):
        assert (set(entities), {device.id for device in devices}) == before
        await full.advance(15)
