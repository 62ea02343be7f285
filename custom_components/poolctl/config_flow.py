"""Config flow of an account: service address, sign-in and discovered controllers."""

from collections.abc import Mapping
from dataclasses import replace
import logging
from typing import Any, Self, override

from homeassistant.config_entries import (
    SOURCE_REAUTH,
    SOURCE_RECONFIGURE,
    SOURCE_ZEROCONF,
    ConfigEntryState,
    ConfigFlowResult,
)
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_DEVICE_ID, CONF_TOKEN, CONF_URL
from homeassistant.core import callback
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers import config_entry_oauth2_flow
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.device_registry import format_mac
from homeassistant.helpers.selector import (
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
from homeassistant.helpers.service_info.dhcp import DhcpServiceInfo
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
import probatio as vol

from .account import PoolctlConfigEntry
from .application_credentials import (
    async_credentials_stored,
    async_sign_in_observers,
    service_address,
)
from .client import (
    CloudClient,
    Inventory,
    PoolctlError,
    ProtocolError,
    account_id,
    probe,
    subject_claim,
)
from .client.codec import from_stored, to_stored
from .const import CONF_CONTROLLERS, DOMAIN, MIN_FIRMWARE, PROTOCOL_VERSION
from .flow import discovered
from .flow.forms import (
    InvalidAddressError,
    UserInput,
    address_form,
    async_adopt_address,
    normalise_address,
)
from .flow.identity import CONF_IDENTITY, Identity, read_inventory
from .flow.options import PoolctlOptionsFlow
from .flow.preview import NO_PREVIEW, async_preview
from .network.addresses import ObservedAddress, async_observed_addresses
from .network.record import firmware_supported, mac_of

_URL_TEXT = TextSelectorConfig(type=TextSelectorType.URL, autocomplete="url")
_ADDRESS_FORM = vol.Schema({vol.Required(CONF_URL): TextSelector(_URL_TEXT)})
_CARDS = 20
"""Maximum number of discovery cards: no user has more, a device may announce 1000."""
_KEPT_NAMES = 10
"""Maximum number of mDNS service names that Home Assistant keeps with an entry."""


class PoolctlFlow(config_entry_oauth2_flow.AbstractOAuth2FlowHandler, domain=DOMAIN):
    """Adds an account, confirms a discovered controller or renews a sign-in."""

    DOMAIN = DOMAIN

    _address = ""
    _observed: ObservedAddress | None = None
    _preview = NO_PREVIEW
    _card_returns = False

    @staticmethod
    @callback
    @override
    def async_get_options_flow(
        config_entry: PoolctlConfigEntry,
    ) -> PoolctlOptionsFlow:
        return PoolctlOptionsFlow()

    @property
    @override
    def logger(self) -> logging.Logger:
        return logging.getLogger(__name__)

    # The address, then sign-in there

    @override
    async def async_step_user(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Offer the discovered controllers, else ask for the service address."""
        if user_input is None:
            if not await async_credentials_stored(self.hass):
                # Home Assistant asks for credentials, then starts a new flow.
                return await self.async_step_pick_implementation()
            if (card := discovered.async_asked(self.hass)) is not None:
                self._observed = card
                return await self.async_step_confirm()
            if async_observed_addresses(self.hass).cards:
                return await self.async_step_found()
        return await self._ask_address("user", user_input)

    async def async_step_found(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask which of the discovered controllers to add, if any."""
        if user_input is not None:
            self._observed = discovered.async_chosen(self.hass, user_input)
            if self._observed is not None:
                return await self.async_step_confirm()
            return await self._ask_address("user", None)
        return self.async_show_form(
            step_id="found", data_schema=await discovered.async_form(self.hass)
        )

    async def async_step_confirm(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Show the discovered controller and ask for its service address."""
        if not await async_credentials_stored(self.hass):
            self._card_returns = self.source == SOURCE_ZEROCONF
            discovered.async_ask_credentials(self.hass, self._observed)
            return await self.async_step_pick_implementation()
        if user_input is None and self._observed is not None:
            self._preview = await async_preview(self.hass, self._observed)
        return await self._ask_address(self._preview.step_id, user_input or None)

    async_step_confirm_seen = async_step_confirm_odd = async_step_confirm

    @callback
    @override
    def async_remove(self) -> None:
        """Put the card back under *Discovered* if only the credentials were missing."""
        async_observed_addresses(self.hass).cards.pop(self.flow_id, None)
        if self._card_returns:
            # A page that gets the new card before the old one is removed shows both.
            self.hass.loop.call_soon(discovered.async_discover_again, self)

    async def _ask_address(
        self, step_id: str, user_input: UserInput | None
    ) -> ConfigFlowResult:
        errors = {}
        if user_input is not None:
            try:
                self._address = normalise_address(user_input[CONF_URL])
                await probe(async_get_clientsession(self.hass), self._address)
            except InvalidAddressError as err:
                errors[CONF_URL] = str(err)
            except ProtocolError:
                errors[CONF_URL] = "not_the_service"
            except PoolctlError:
                errors[CONF_URL] = "cannot_connect"
            else:
                return await self.async_step_pick_implementation()
        entries = self._async_current_entries(include_ignore=False)
        if self.source == SOURCE_RECONFIGURE:
            entries = [self._entry]
        # Most accounts use the same service.
        known = entries[0].data[CONF_URL] if entries else ""
        suggested = user_input or {CONF_URL: known}
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(_ADDRESS_FORM, suggested),
            errors=errors,
            description_placeholders=self._placeholders,
        )

    @property
    def _placeholders(self) -> dict[str, str]:
        # Home Assistant's validation allows no URL inside a translation.
        placeholders = {"example_url": "https://pool.example.com"}
        if (observed := self._observed) is None:
            return placeholders
        return placeholders | {
            "name": observed.name,
            "host": observed.host,
            "firmware": observed.firmware,
            **self._preview.placeholders,
        }

    @override
    async def async_step_pick_implementation(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Choose the application credentials, for the service of this flow."""
        with service_address(self._address):
            return await super().async_step_pick_implementation(user_input)

    @override
    async def async_oauth_create_entry(self, data: dict[str, Any]) -> ConfigFlowResult:
        """Check what the account owns, then add it or renew its sign-in."""
        token: str = data[CONF_TOKEN][CONF_ACCESS_TOKEN]
        cloud = self._cloud(token)
        try:
            inventory = await read_inventory(cloud)
            subject = await cloud.user_id()
        except PoolctlError as err:
            self.logger.debug("The account cannot be read: %s", err)
            return self.async_abort(reason="account_unreadable")
        unique_id = account_id(subject, token, inventory)
        # For reauth, no controllers are needed: those of the entry are stored.
        owns = inventory.devices or self.source == SOURCE_REAUTH
        if unique_id is None or not owns:
            return self.async_abort(reason="no_controllers")
        await self.async_set_unique_id(unique_id, raise_on_progress=False)
        data = {**data, CONF_URL: self._address}
        reported = Identity(
            subject=subject, claim=subject_claim(token), sites=inventory.site_ids
        )
        if self.source in (SOURCE_REAUTH, SOURCE_RECONFIGURE):
            entry = self._entry
            previous = from_stored(Identity, entry.data.get(CONF_IDENTITY))
            if not reported.fits(entry.unique_id, previous):
                return self.async_abort(reason="wrong_account")
            data[CONF_IDENTITY] = to_stored(reported.completed(previous))
            return self.async_update_reload_and_abort(entry, data_updates=data)
        # Credentials that were lost are asked for before a flow like this.
        self._abort_if_unique_id_configured(updates=data)
        data[CONF_IDENTITY] = to_stored(reported)
        owned = {device.device_id for device in inventory.devices}
        if self._observed is not None and self._observed.device_id not in owned:
            return self.async_abort(
                reason="not_owned", description_placeholders=self._placeholders
            )
        data[CONF_CONTROLLERS] = {}
        return self.async_create_entry(title=_title(inventory), data=data)

    def _cloud(self, token: str) -> CloudClient:
        async def provider(*, refused: str | None = None) -> str:
            return token

        return CloudClient(
            async_get_clientsession(self.hass),
            self._address,
            provider,
            async_sign_in_observers(self.hass, self._address).facts,
        )

    # Discovery

    @override
    async def async_step_zeroconf(
        self, discovery_info: ZeroconfServiceInfo
    ) -> ConfigFlowResult:
        """Update the address of a configured controller, or offer a new one."""
        if (observed := ObservedAddress.from_zeroconf(discovery_info)) is None:
            return self.async_abort(reason="not_a_controller")
        if observed.protocol != PROTOCOL_VERSION:
            return self.async_abort(
                reason="unsupported_protocol",
                description_placeholders={"protocol": observed.protocol or "-"},
            )
        # One announcement covers both interfaces (protocol.md 2.8); the host that it
        # names is added last, as the newest.
        addresses = async_observed_addresses(self.hass)
        hosts = dict.fromkeys((observed.host, *map(str, discovery_info.ip_addresses)))
        reported = (replace(observed, host=host) for host in reversed(hosts))
        if not (usable := [*filter(addresses.add, reported)]):
            return self.async_abort(reason="not_a_controller")
        observed = usable[-1]
        if (entry := discovered.async_offer(self.hass, observed)) is not None:
            if len(entry.discovery_keys.get(SOURCE_ZEROCONF, ())) < _KEPT_NAMES:
                # Home Assistant then keeps the service name with the entry, and
                # rediscovers the controller when the entry is deleted.
                await self.async_set_unique_id(entry.unique_id, raise_on_progress=False)
            return self.async_abort(reason="already_configured")
        # Not the announced MAC: a neighbour may announce ours with another identifier.
        await self.async_set_unique_id(mac_of(observed.device_id))
        self._abort_if_unique_id_configured()
        if not firmware_supported(observed.firmware):
            return self.async_abort(
                reason="unsupported_firmware",
                description_placeholders={
                    "firmware": observed.firmware,
                    "minimum": MIN_FIRMWARE,
                },
            )
        self._observed = observed
        self._abort_if_not_shown()
        self.context["title_placeholders"] = {"name": observed.name}
        addresses.cards[self.flow_id] = observed
        # No user has opened this yet: the credentials are checked once one does.
        return await self._ask_address("confirm", None)

    def _abort_if_not_shown(self) -> None:
        """Abort for a second card of a controller, or if too many are shown."""
        flows = self._async_in_progress(
            include_uninitialized=True, match_context={"source": SOURCE_ZEROCONF}
        )
        shown = sum("title_placeholders" in flow["context"] for flow in flows)
        flow_manager = self.hass.config_entries.flow
        if shown >= _CARDS or flow_manager.async_has_matching_flow(self):
            raise AbortFlow("already_in_progress")

    @override
    def is_matching(self, other_flow: Self) -> bool:
        """Return whether another flow is for the same controller, whatever its MAC."""
        observed, other = self._observed, other_flow._observed
        return bool(observed and other and observed.device_id == other.device_id)

    @override
    async def async_step_dhcp(
        self, discovery_info: DhcpServiceInfo
    ) -> ConfigFlowResult:
        """Update the address of a configured controller where multicast is blocked."""
        mac = format_mac(discovery_info.macaddress)
        await self.async_set_unique_id(mac)
        discovered.async_offer_address(self.hass, mac, discovery_info.ip)
        return self.async_abort(reason="already_configured")

    # Signing in again

    async def async_step_reauth(
        self, entry_data: Mapping[str, Any]
    ) -> ConfigFlowResult:
        """Start a new sign-in at the same service."""
        self._address = entry_data[CONF_URL]
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Explain the reason, then offer the credentials and the sign-in page."""
        if user_input is None:
            return self.async_show_form(step_id="reauth_confirm")
        return await self.async_step_pick_implementation()

    @property
    def _entry(self) -> PoolctlConfigEntry:
        if self.source == SOURCE_REAUTH:
            return self._get_reauth_entry()
        return self._get_reconfigure_entry()

    # Another address

    async def async_step_reconfigure(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask whether the service or a controller has another address."""
        return self.async_show_menu(
            step_id="reconfigure",
            menu_options=["reconfigure_service", "reconfigure_controller"],
        )

    async def async_step_reconfigure_service(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask for the service address; a new one never receives the old token."""
        return await self._ask_address("reconfigure_service", user_input)

    async def async_step_reconfigure_controller(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask for a controller's address and check that it answers there."""
        entry, errors = self._entry, {}
        if entry.state is not ConfigEntryState.LOADED:
            return self.async_abort(reason="not_loaded")
        controllers = entry.runtime_data.controllers
        if user_input is not None:
            device_id = user_input[CONF_DEVICE_ID]
            if (chosen := controllers.get(device_id)) is not None:
                errors = await async_adopt_address(chosen.recovery, user_input)
            if device_id not in controllers:  # the inventory may lack it meanwhile
                return self.async_abort(reason="controller_gone")
            if not errors:
                return self.async_update_and_abort(entry)
        if not controllers:
            return self.async_abort(reason="no_controllers")
        schema, today = address_form(
            {device_id: each.record for device_id, each in controllers.items()}
        )
        schema = self.add_suggested_values_to_schema(schema, user_input or today)
        return self.async_show_form(
            step_id="reconfigure_controller", data_schema=schema, errors=errors
        )


def _title(inventory: Inventory) -> str:
    sites = dict.fromkeys(device.site for device in inventory.devices if device.site)
    return ", ".join(sites) or "Pool"
