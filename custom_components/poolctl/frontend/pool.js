// What one controller has in Home Assistant, and what of it has no card yet.

import { isNarrow } from "./narrow.js";
import { words } from "./words.js";

const PLATFORM = "poolctl";

/** Return the devices of all controllers by name: { id, name }. */
export function controllers(hass) {
  const ids = new Set(ours(hass).map((entity) => controllerOf(hass, entity.device_id)));
  return [...ids]
    .map((id) => hass.devices[id])
    .filter(Boolean)
    .map((device) => ({ id: device.id, name: device.name_by_user || device.name || "" }))
    .sort((one, other) => one.name.localeCompare(other.name, hass.language));
}

const ours = (hass) =>
  Object.values(hass.entities).filter((entity) => entity.platform === PLATFORM);

/** Return the controller that a device is a part of; a controller is its own. */
const controllerOf = (hass, deviceId) =>
  hass.devices[deviceId]?.parent_device_id ?? deviceId;

// Of everything in `hass`, what the cards are made from.
const SOURCES = ["entities", "devices", "language"];

/** Tell whether the equipment is another one. */
export const otherEquipment = (before, now) =>
  SOURCES.some((source) => before[source] !== now[source]);

// Of the states, those that decide on a card and not only on what it shows. What a light
// can show is not among them: Home Assistant's list of entities changes with it.
const DECISIVE = /^desired_/;

/** Tell whether the cards are other ones, because of the equipment or of a state. */
export const otherCards = (before, now) =>
  otherEquipment(before, now) ||
  ours(now).some(
    ({ entity_id: id, translation_key: key }) =>
      DECISIVE.test(key) && before.states[id]?.state !== now.states[id]?.state,
  );

/** The entities of a controller, by it or one of its parts, that a person may see: not disabled, not hidden. */
export class Pool {
  constructor(hass, deviceId) {
    const controller = controllerOf(hass, deviceId);
    this.entities = ours(hass)
      .filter(
        (entity) =>
          !entity.hidden && controllerOf(hass, entity.device_id) === controller,
      )
      .map((entity) => describe(hass, entity))
      .sort((one, other) =>
        one.name.localeCompare(other.name, hass.language, { numeric: true }),
      );
    this.shown = new Set();
    this.hass = hass;
    this.text = words(hass.language);
    [this.connection] = this.find("sensor", /^connection$/);
  }

  /** Tell whether Home Assistant runs with a component, such as "history". */
  loaded(component) {
    return this.hass.config.components.includes(component);
  }

  /** Return the entities of a domain whose key or device class fits. */
  find(domain, pattern) {
    return this.entities.filter(
      (entity) =>
        domain === entity.domain &&
        (pattern.test(entity.key) || pattern.test(entity.deviceClass)),
    );
  }

  /** Return the same of one category, or one by its id, without those that have a card; they have one from now on. */
  take(domain, pattern, category, id) {
    const found = this.find(domain, pattern).filter(
      (entity) =>
        !this.shown.has(entity.id) &&
        entity.category === category &&
        (!id || entity.id === id),
    );
    found.forEach((entity) => this.shown.add(entity.id));
    return found;
  }
}

// The name of the entity alone: its part is the title of the section. Only what the spa
// has stands among the same of the pool.
const NAME = { type: "entity" };
const OF_THE_SPA = [{ type: "device" }, NAME];
const isOfTheSpa = (key) => key.startsWith("spa") && !key.startsWith("spa_light");

function describe(hass, entity) {
  const id = entity.entity_id;
  const key = entity.translation_key ?? "";
  const state = hass.states[id];
  const attributes = state?.attributes ?? {};
  const shown = isOfTheSpa(key) ? OF_THE_SPA : NAME;
  const label = (state && hass.formatEntityName?.(state, shown)) ?? id;
  return {
    id,
    key,
    shown,
    label,
    attributes,
    domain: id.split(".")[0],
    deviceClass: attributes.device_class ?? "",
    category: entity.entity_category ?? null,
    name: attributes.friendly_name ?? id,
    state: state?.state,
    narrow: !state || isNarrow(hass, state, label),
  };
}
