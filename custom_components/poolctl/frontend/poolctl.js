// The Pool dashboard: what Home Assistant calls a strategy. It makes one view for every
// controller from the equipment there is, out of Home Assistant's own cards, and makes
// them again when the equipment changes, until a person takes control of the dashboard.
//
//   strategy:
//     type: custom:poolctl
//
// As the strategy of one view, it takes the controller's `device_id`.

import { Pool, controllers } from "./pool.js";
import { problems, sections } from "./sections.js";
import { words } from "./words.js";

const NAME = "poolctl";
const TYPE = `custom:${NAME}`;

/** Of everything in `hass`, what the cards are made from. */
const SOURCES = ["entities", "devices", "language"];
const changed = (config, before, now) =>
  SOURCES.some((source) => before[source] !== now[source]);

class PoolDashboard extends HTMLElement {
  /** There is nothing to choose: "Edit" offers to take control at once. */
  static noEditor = true;

  static shouldRegenerate = changed;

  /** Propose what the dashboard is called in the sidebar. */
  static getCreateSuggestions(hass) {
    return { title: words(hass.language).pool, icon: "mdi:pool" };
  }

  static async generate(config, hass) {
    const views = controllers(hass).map(({ id, name }) => ({
      title: name,
      path: id,
      strategy: { type: TYPE, device_id: id },
    }));
    return { views: views.length ? views : [{ strategy: { type: TYPE } }] };
  }
}

class PoolView extends HTMLElement {
  static shouldRegenerate = changed;

  static async generate(config, hass) {
    const text = words(hass.language);
    const id = config.device_id ?? controllers(hass)[0]?.id;
    const pool = new Pool(hass, id);
    const made = sections(pool, text);
    if (!made.length) {
      return { cards: [{ type: "markdown", content: text.none }] };
    }
    return {
      type: "sections",
      max_columns: 4,
      dense_section_placement: true,
      badges: problems(pool),
      sections: made,
    };
  }
}

customElements.define(`ll-strategy-dashboard-${NAME}`, PoolDashboard);
customElements.define(`ll-strategy-view-${NAME}`, PoolView);

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
