// One controller as the frontend has it: its entities and those of its parts, by their keys.

import { degrees, worded } from "./format.js";
import { words } from "./words.js";

// The owner of a sensor may have chosen another unit for it than that of the drum.
/** Litres of each unit of a volume. @type {Record<string, number>} */
const LITRES = { mL: 0.001, L: 1, "m³": 1000, "fl. oz.": 0.0295735, gal: 3.785412, "ft³": 28.316847 };

// `key` is the translation key, or the device class where the entity is named after that.
/** @typedef {{ id: string, key: string, domain: string, category: string | null, state: HassState }} Entity */

/** @typedef {{ start: number, mean: number | null }} Point */

// What is known of the controller itself: no card is true without it, even if a person hid it.
const SITUATION = ["status", "connection"];

/** @type {WeakMap<Hass["entities"], HassEntity[]>} Our entities of a registry, which has thousands. */
const registered = new WeakMap();

/** @type {WeakMap<Hass, Record<string, Pool>>} What all cards show of one update. */
const pictures = new WeakMap();

/** @type {(hass: Hass) => HassEntity[]} */
export function ours({ entities }) {
  const found = registered.get(entities) ?? Object.values(entities).filter(isOurs);
  registered.set(entities, found);
  return found;
}

/** @type {(entity: HassEntity | undefined) => boolean} */
export const isOurs = (entity) => entity?.platform === "poolctl";

/** @type {(hass: Hass, deviceId: string | null | undefined) => string | undefined} */
export const controllerOf = (hass, deviceId) => (deviceId && (hass.devices[deviceId]?.parent_device_id ?? deviceId)) || undefined;

/** Return all controllers by name, those that do not answer last. @param {Hass} hass @returns {{ id: string, name: string }[]} */
export function controllers(hass) {
  const ids = new Set(ours(hass).map((entity) => controllerOf(hass, entity.device_id)));
  const silent = (/** @type {string} */ id) => Number(picture(hass, id).lost);
  return [...ids]
    .map((id) => (id ? hass.devices[id] : undefined))
    .filter((device) => device !== undefined)
    .map((device) => ({ id: device.id, name: device.name_by_user || device.name || "" }))
    .sort((one, other) => silent(one.id) - silent(other.id) || one.name.localeCompare(other.name, hass.language));
}

/** Return the picture of a controller, or of the first one, that all cards share. @type {(hass: Hass, deviceId: string | undefined) => Pool} */
export function picture(hass, deviceId = "") {
  const made = pictures.get(hass) ?? {};
  pictures.set(hass, made);
  return (made[deviceId] ??= new Pool(hass, deviceId));
}

/** Tell whether a state says anything. @type {(state: HassState | undefined) => boolean} */
export const known = (state) => state !== undefined && !["unknown", "unavailable"].includes(state.state);

/** Which kind of output it is. @type {(entity: Entity) => "pump" | "spa" | "lights" | "outputs"} */
export const kindOf = ({ key, domain }) => domain === "light" ? "lights" : key === "pump" ? "pump" : key === "spa_mode" ? "spa" : "outputs";

/** The name of a part and of its entity: two words side by side are no name in most languages. */
export const OF_PART = [{ type: "device" }, { type: "text", text: "·" }, { type: "entity" }];

/** The good range of an entity, if it has one. @type {(entity: Entity | undefined) => [number, number] | undefined} */
export function goodRange(entity) {
  const { good_from: low, good_to: high } = entity?.state.attributes ?? {};
  return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : undefined;
}

/** Whether the value of an entity is outside of its good range. @type {(entity: Entity | undefined) => boolean} */
export function outside(entity) {
  const [low, high] = goodRange(entity) ?? [-Infinity, Infinity];
  const value = Number(entity?.state.state);
  return value < low || value > high;
}

/** What one controller has, as far as a person may see it: not disabled, not hidden, and not only about to exist. */
export class Pool {
  /** @param {Hass} hass @param {string | undefined} deviceId The controller or one of its parts; by default the first controller. */
  constructor(hass, deviceId) {
    this.hass = hass;
    this.id = controllerOf(hass, deviceId) ?? controllers(hass)[0]?.id;
    /** @type {Entity[]} */
    this.entities = ours(hass)
      .filter((entity) => hass.states[entity.entity_id] && (!entity.hidden || SITUATION.includes(entity.translation_key ?? "")) && controllerOf(hass, entity.device_id) === this.id)
      .map(({ entity_id: id, translation_key: key, entity_category: category = null }) => {
        const state = hass.states[id];
        return { id, key: key ?? state.attributes.device_class ?? "", domain: id.slice(0, id.indexOf(".")), category, state };
      });
    this.status = this.one("sensor", "status");
    this.connection = this.one("sensor", "connection");
    /** Whether the cloud is the only way, which can do less. */
    this.throughCloud = this.connection?.state.state === "cloud";
  }

  get name() {
    const device = this.id ? this.hass.devices[this.id] : undefined;
    return device?.name_by_user || device?.name || "";
  }

  /** Return the entity of a domain with one of these keys. @param {string} domain @param {...string} keys */
  one(domain, ...keys) {
    return this.all(domain, ...keys)[0];
  }

  /** Return all of them, in the order of the keys; without keys, all of the domain. @param {string} domain @param {...string} keys */
  all(domain, ...keys) {
    const found = this.entities.filter((entity) => entity.domain === domain);
    return keys.length ? keys.flatMap((key) => found.filter((entity) => entity.key === key)) : found;
  }

  /** Return what a person switches, by name: outputs and lights, not what is configured. */
  get outputs() {
    return [...this.all("switch"), ...this.all("light")]
      .filter(({ category }) => category === null)
      .sort((one, other) => this.named(one).localeCompare(this.named(other), this.hass.language, { numeric: true }));
  }

  /** @param {Entity} entity @param {unknown} [parts] What an entity is called on a card of its pool. */
  named(entity, parts) {
    // What shares the card with the same of the pool has the name of its part, too.
    const usual = entity.domain === "climate" || entity.key.startsWith("spa_heater") ? OF_PART : { type: "entity" };
    const name = this.hass.formatEntityName(entity.state, parts ?? usual);
    // The switch of the spa has the name of its part, unless a person gave it one.
    const unnamed = entity.key === "spa_mode" && !this.hass.entities[entity.id]?.name;
    return unnamed ? words(this.hass.language).spa_mode : name.replace(/ ·\s*$/, "");
  }

  /** @param {Entity | undefined} entity Its state as a number, of a volume in litres; NaN where there is none. */
  numbered(entity) {
    return entity?.state ? parseFloat(entity.state.state) * (LITRES[entity.state.attributes.unit_of_measurement] ?? 1) : NaN;
  }

  /** @param {string} domain @param {string} key The state of an entity, "" where there is none. */
  state(domain, key) {
    return this.one(domain, key)?.state.state ?? "";
  }

  /** @param {Entity | undefined} entity @param {string} [state] Its state in words, or another one. */
  text(entity, state) {
    return entity?.state ? this.hass.formatEntityState(entity.state, state) : "";
  }

  /** @param {Entity | undefined} entity A reading in words, or the last one while there is none. */
  reading(entity) {
    const last = entity?.state.attributes.last_temperature;
    return known(entity?.state) ? this.text(entity) : last === undefined ? "" : degrees(this.hass, last);
  }

  /** @param {Entity[]} entities @param {number} from @param {Record<string, unknown>} [more] What the recorder has of their states since a moment. @returns {Promise<Record<string, import("./day.js").Past[]>>} */
  async states(entities, from, more = { minimal_response: true, no_attributes: true }) {
    const message = { type: "history/history_during_period", start_time: new Date(from).toISOString(), entity_ids: entities.map(({ id }) => id), ...more };
    return entities.length ? this.hass.callWS(message) : {};
  }

  /** @param {Entity[]} entities @param {number} from @param {"hour" | "day"} period Their statistics since a moment; none without a recorder. @returns {Promise<Record<string, Point[]>>} */
  async statistics(entities, from, period) {
    const message = { type: "recorder/statistics_during_period", start_time: new Date(from).toISOString(), statistic_ids: entities.map(({ id }) => id), period, types: ["mean", "change"] };
    return entities.length ? this.hass.callWS(message).catch(() => ({})) : {};
  }

  /** @param {Entity | undefined} entity Why it is as it is, in the integration's words. @returns {string} */
  why(entity) {
    const { reasons, explanation } = entity?.state.attributes ?? {};
    return this.sentences(reasons, explanation);
  }

  /** @param {[string, Record<string, string>][]} reasons @param {string} explanation For a language without texts. */
  sentences(reasons = [], explanation = "") {
    return reasons.map(([key, values]) => worded(this.hass, values, key)).filter(Boolean).join(" ") || explanation;
  }

  /** What is wrong or good to know, as the controller's status has it: the worst first. @returns {Problem[]} */
  get problems() {
    return (this.status?.state.attributes.problems ?? []).map((/** @type {Problem} */ each) => {
      const { key, variant, step, values } = each;
      const text = worded(this.hass, values, variant, key) || each.sentence;
      const next = worded(this.hass, values, `${step}_next`, `${variant}_next`, `${key}_next`) || each.next_step;
      return { ...each, sentence: text, next_step: next };
    });
  }

  /** When it answered last, in ms, while it does not. */
  get answeredAt() {
    const { attributes, last_changed } = this.connection?.state ?? {};
    return Date.parse(attributes?.last_answer ?? last_changed ?? "");
  }

  /** Whether neither the network nor the cloud reaches the controller. */
  get lost() {
    const state = this.connection?.state;
    return state !== undefined && (!known(state) || state.state === "lost" || "last_answer" in state.attributes);
  }

  // Nothing is good that the controller itself does not report now.
  /** Return how something is rated by the problems with these keys, and by its good range. @param {Entity | undefined} entity @param {...string} keys @returns {"good" | "fair" | "poor" | "none"} */
  rate(entity, ...keys) {
    const found = this.problems.filter(({ key }) => keys.includes(key));
    if (found.some(({ severity }) => severity === "problem")) {
      return "poor";
    }
    if (found.length || outside(entity)) {
      return "fair";
    }
    const reported = [this.status, this.connection, entity ?? this.status].every((each) => known(each?.state));
    return reported && !this.lost && !this.throughCloud ? "good" : "none";
  }
}
