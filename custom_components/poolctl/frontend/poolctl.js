// The cards, and the Pool dashboard: what Home Assistant calls a strategy. It makes the views
// of every controller from the equipment there is, and makes them again when the equipment
// changes, until a person takes control of the dashboard.
//
// `strategy: {type: custom:poolctl}` is a dashboard; as the strategy of one view, it takes the
// controller's `device_id`, and `view: settings` or `view: history`.

import { PoolDay } from "./card-day.js";
import { PoolDrums } from "./card-drums.js";
import { PoolOutputs } from "./card-outputs.js";
import { PoolHeadline } from "./card-pool.js";
import { PoolWater } from "./card-water.js";
import { PoolWhy } from "./why.js";
import { controllerOf, controllers, isOurs, ours, picture } from "./pool.js";
import { PAGES, daily, history, settings } from "./views.js";
import { load, words } from "./words.js";

const NAME = "poolctl";
const TYPE = `custom:${NAME}`;

/** Keys or domains of the entities for which a card is proposed; the card of the pool for all others. */
/** @type {[string, typeof import("./card.js").PoolCard, RegExp][]} */
const CARDS = [
  ["water", PoolWater, /^sensor\.(ph|orp|\w+_temperature|last_valid_reading)$/],
  ["day", PoolDay, /^(calendar|switch|sensor)\.(schedules?|pump_runtime_today|turnovers_today|pump_energy)$/],
  ["outputs", PoolOutputs, /^(switch|light|sensor|button)\.(pump|spa_mode|pool_light|spa_light|general|held_outputs|resume_schedules|uv|ozone|ioniser|\w+_clean\w+)$/],
  ["drums", PoolDrums, /^(sensor|number|button|binary_sensor)\.(\w*acid_\w+|chlorine_\w+|chlorination|filter_load|mark_\w+)$/],
  ["pool", PoolHeadline, /^/],
];

class PoolDashboard extends HTMLElement {
  /** There is nothing to choose: "Edit" offers to take control at once. */
  static noEditor = true;

  /** Whether the views have to be made again: also for the first state of an entity. @type {(_: unknown, before: Hass, now: Hass) => boolean} */
  static shouldRegenerate = (_, before, now) =>
    before.entities !== now.entities || before.devices !== now.devices || before.language !== now.language || ours(now).some(({ entity_id: id }) => !before.states[id] !== !now.states[id]);

  /** @param {Hass} hass What the dashboard is called in the sidebar. */
  static getCreateSuggestions(hass) {
    return { title: words(hass.language).pool, icon: "mdi:pool" };
  }

  /** @param {unknown} _config @param {Hass} hass */
  static async generate(_config, hass) {
    const text = await load(hass.language, hass.callWS);
    const found = controllers(hass);
    const dashboard = location.pathname.split("/")[1];
    const views = found.flatMap(({ id, name }) => {
      const strategy = { type: TYPE, device_id: id };
      const pages = PAGES.map(([view, icon]) => ({ title: `${name} · ${text[view]}`, icon, subview: true, path: `${id}-${view}`, strategy: { ...strategy, view } }));
      return [{ title: name, path: id, strategy: { ...strategy, base: `/${dashboard}/${id}` } }, ...pages];
    });
    return { views: views.length ? views : [{ strategy: { type: TYPE } }] };
  }
}

class PoolView extends HTMLElement {
  static shouldRegenerate = PoolDashboard.shouldRegenerate;

  /** @param {{ device_id?: string, view?: string, base?: string }} config @param {Hass} hass */
  static async generate(config, hass) {
    const text = await load(hass.language, hass.callWS);
    const pool = picture(hass, config.device_id);
    if (!pool.entities.length) {
      return { cards: [{ type: "markdown", content: `${text.none} ${text.stays}` }] };
    }
    if (config.view === "settings") {
      return settings(pool, text);
    }
    return config.view === "history" ? history(pool, text) : daily(pool, text, config.base);
  }
}

customElements.define(`ll-strategy-dashboard-${NAME}`, PoolDashboard);
customElements.define(`ll-strategy-view-${NAME}`, PoolView);
customElements.define(`${NAME}-why`, PoolWhy);
(window.customCardFeatures ??= []).push({ type: `${NAME}-why`, name: "Why", isSupported: (hass, { entity_id }) => isOurs(hass.entities[entity_id]) && entity_id.startsWith("climate.") });

// The lists of dashboards and cards need their texts at once when they are opened, long after the
// page got its language. A cast device has no lists, and no such connection.
const shown = () => words(document.documentElement.lang);
const ask = async (/** @type {Record<string, unknown>} */ message) => (await window.hassConnection)?.conn.sendMessagePromise(message);
const prepare = () => document.documentElement.lang && window.hassConnection && load(document.documentElement.lang, ask);
new MutationObserver(prepare).observe(document.documentElement, { attributeFilter: ["lang"] });
prepare();

(window.customStrategies ??= []).push({
  type: NAME,
  strategyType: "dashboard",
  get name() {
    return shown().pool;
  },
  get description() {
    return shown().description;
  },
});

/** Propose a card for one of our own entities. @type {(kind: string) => (hass: Hass, entityId: string) => unknown} */
const suggestion = (kind) => (hass, entityId) => {
  const entity = hass.entities[entityId];
  if (!isOurs(entity)) {
    return null;
  }
  const key = entity.translation_key ?? hass.states[entityId]?.attributes.device_class;
  const named = `${entityId.split(".")[0]}.${key}`;
  const [fitting] = CARDS.find(([, , pattern]) => pattern.test(named)) ?? [];
  return fitting === kind ? { config: { type: `custom:${NAME}-${kind}-card`, device_id: controllerOf(hass, entity.device_id) } } : null;
};

for (const [kind, card] of CARDS) {
  customElements.define(`${NAME}-${kind}-card`, card);
  (window.customCards ??= []).push({
    type: `${NAME}-${kind}-card`,
    preview: true,
    documentationURL: "https://github.com/poolctl/poolctl/blob/main/docs/dashboard.md#cards",
    getEntitySuggestion: suggestion(kind),
    get name() {
      const text = shown();
      return kind === "pool" ? text.pool : `${text.pool} · ${text[kind]}`;
    },
    get description() {
      return shown()[`about_${kind}`];
    },
  });
}
