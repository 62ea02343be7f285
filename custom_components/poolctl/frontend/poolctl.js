// The Pool dashboard: what Home Assistant calls a strategy. It makes one view for every
// controller from the equipment there is, out of Home Assistant's own cards, and makes
// them again when the equipment changes, until a person takes control of the dashboard.
//
//   strategy:
//     type: custom:poolctl
//
// As the strategy of one view, it takes the controller's `device_id`, and `view: settings`
// for what is set once. As the strategy of a section, it takes `device_id` and one
// `section` of those in sections.js; without, the section has them all.

import { badges } from "./badges.js";
import "./drum.js";
import { Pool, controllers, otherCards, otherEquipment } from "./pool.js";
import { parts, sections } from "./sections.js";
import { words } from "./words.js";

const NAME = "poolctl";
const TYPE = `custom:${NAME}`;
const DAILY = "daily";
const SETTINGS = "settings";

const poolOf = (config, hass) =>
  new Pool(hass, config.device_id ?? controllers(hass)[0]?.id);

const nothing = (pool) => ({ type: "markdown", content: pool.text.none });

class PoolDashboard extends HTMLElement {
  /** There is nothing to choose: "Edit" offers to take control at once. */
  static noEditor = true;

  static shouldRegenerate = (config, before, now) => otherEquipment(before, now);

  /** Propose what the dashboard is called in the sidebar. */
  static getCreateSuggestions(hass) {
    return { title: words(hass.language).pool, icon: "mdi:pool" };
  }

  static async generate(config, hass) {
    const { settings } = words(hass.language);
    const found = controllers(hass);
    const views = found.flatMap(({ id, name }) => [
      { title: name, path: id, strategy: { type: TYPE, device_id: id } },
      {
        title: found.length > 1 ? `${name}: ${settings}` : settings,
        icon: "mdi:cog",
        path: `${id}-settings`,
        strategy: { type: TYPE, device_id: id, view: SETTINGS },
      },
    ]);
    return { views: views.length ? views : [{ strategy: { type: TYPE } }] };
  }
}

class PoolView extends HTMLElement {
  static shouldRegenerate = (config, before, now) => otherCards(before, now);

  static async generate({ view = DAILY, ...config }, hass) {
    const pool = poolOf(config, hass);
    const made = await sections(pool, view);
    if (!made.length) {
      return { cards: [nothing(pool)] };
    }
    return {
      type: "sections",
      max_columns: 4,
      dense_section_placement: true,
      badges: view === DAILY ? badges(pool) : [],
      sections: made,
    };
  }
}

class PoolSection extends HTMLElement {
  static shouldRegenerate = (config, before, now) => otherCards(before, now);

  static async generate({ view = DAILY, section, ...config }, hass) {
    const pool = poolOf(config, hass);
    const cards = (await parts(pool, view))
      .filter(({ word }) => !section || word === section)
      .flatMap((part) => part.cards);
    return { type: "grid", cards: cards.length ? cards : [nothing(pool)] };
  }
}

customElements.define(`ll-strategy-dashboard-${NAME}`, PoolDashboard);
customElements.define(`ll-strategy-view-${NAME}`, PoolView);
customElements.define(`ll-strategy-section-${NAME}`, PoolSection);

// What "Add dashboard" lists. It asks for the texts when it is opened, long after this
// module was loaded, and by then the page has a language.
const shown = () => words(document.documentElement.lang);
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
