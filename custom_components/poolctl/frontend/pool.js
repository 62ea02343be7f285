// What one controller has in Home Assistant, and what of it has no card yet.

const PLATFORM = "poolctl";

/** Return the devices of all controllers by name: { id, name }. */
export function controllers(hass) {
  const ids = new Set(
    Object.values(hass.entities)
      .filter((entity) => entity.platform === PLATFORM)
      .map((entity) => controllerOf(hass, entity.device_id)),
  );
  return [...ids]
    .map((id) => hass.devices[id])
    .filter(Boolean)
    .map((device) => ({ id: device.id, name: device.name_by_user || device.name || "" }))
    .sort((one, other) => one.name.localeCompare(other.name, hass.language));
}

/** Return the controller that a device is a part of; a controller is its own. */
const controllerOf = (hass, deviceId) =>
  hass.devices[deviceId]?.parent_device_id ?? deviceId;

/** The entities of a controller, by it or one of its parts, that a person may see: not disabled, not hidden. */
export class Pool {
  constructor(hass, deviceId) {
    const controller = controllerOf(hass, deviceId);
    this.entities = Object.values(hass.entities)
      .filter(
        (entity) =>
          entity.platform === PLATFORM &&
          !entity.hidden &&
          controllerOf(hass, entity.device_id) === controller,
      )
      .map((entity) => describe(entity, hass.states[entity.entity_id]))
      .sort((one, other) =>
        one.name.localeCompare(other.name, hass.language, { numeric: true }),
      );
    this.shown = new Set();
    this.components = hass.config.components;
  }

  /** Tell whether Home Assistant runs with a component, such as "history". */
  loaded(component) {
    return this.components.includes(component);
  }

  /** Return the entities of a domain whose key or device class fits. */
  find(domain, pattern) {
    return this.entities.filter(
      (entity) =>
        domain === entity.domain &&
        (pattern.test(entity.key) || pattern.test(entity.deviceClass)),
    );
  }

  /**
   * Return the same without those that have a card; they have one from now on.
   * What is for setting up or for finding faults comes only if it is asked for.
   */
  take(domain, pattern, { categories = false } = {}) {
    const found = this.find(domain, pattern).filter(
      (entity) => !this.shown.has(entity.id) && (categories || !entity.category),
    );
    found.forEach((entity) => this.shown.add(entity.id));
    return found;
  }
}

function describe(entity, state) {
  const attributes = state?.attributes ?? {};
  return {
    id: entity.entity_id,
    domain: entity.entity_id.split(".")[0],
    key: entity.translation_key ?? "",
    deviceClass: attributes.device_class ?? "",
    category: entity.entity_category,
    name: attributes.friendly_name ?? entity.entity_id,
    state: state?.state,
    attributes,
  };
}
