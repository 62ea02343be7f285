// Below the tile of a thermostat, a feature of Home Assistant's card: why it does not heat, and warm water by a time.

import { PoolCard } from "./card.js";
import { h } from "./dom.js";
import { clock, dayOf, degrees, moment, upcoming } from "./format.js";
import { fill } from "./words.js";

/** @typedef {import("./pool.js").Entity} Entity */
/** @typedef {import("./pool.js").Pool} Pool */

export class PoolWhy extends PoolCard {
  static frame = "div";
  static style = `
    div { display: grid; gap: 8px; }
    p { padding: 0 4px; overflow-wrap: anywhere; }
    dialog .actions { display: flex; }
  `;

  /** The time that is being chosen, and which of its next days. */
  time = "19:00";
  day = 0;
  /** What a request for a time would do. @type {{ at: number, reasons?: [string, Record<string, string>][] }} */
  foreseen = { at: 0 };

  /** @param {Pool} pool */
  draw(pool) {
    const [entity] = pool.entities.filter(({ id }) => id === this.config.entity_id);
    if (entity?.state.attributes.warm_by) {
      const cancel = () => this.perform("poolctl.cancel_warm_by", entity.id);
      return [h("p", { key: "wanted", role: "status" }, this.wanted(pool, entity)), h("button", { key: "cancel", class: "action", onclick: cancel }, this.text.cancel)];
    }
    // The tile itself shows that it heats.
    const why = entity?.state.attributes.hvac_action === "heating" ? "" : pool.why(entity);
    const ask = () => ((this.foreseen.at = 0), this.ask((now) => this.choice(now, entity)));
    return [why && h("p", { key: "why", class: "soft" }, why), entity && h("button", { key: "ask", class: "action", "aria-haspopup": "dialog", onclick: ask }, `${this.text.warm_by} …`)];
  }

  /** @param {Pool} pool @param {Entity} entity How warm by when, and when it is heated for that; from then on, how it stays warm. */
  wanted(pool, { state: { attributes } }) {
    const { temperature, warm_by_planned: planned = [], warm_by_done: done = [] } = attributes;
    const by = Date.parse(attributes.warm_by);
    const blocks = [...done, ...planned].map(({ start, end }) => [start, end].map((at) => clock(this.hass, Date.parse(at))).join("–"));
    const heated = blocks.length && by > Date.now() ? fill(this.text.heated, { blocks: blocks.join(", ") }) : pool.sentences(attributes.warm_by_reasons, attributes.warm_by_explanation);
    return [this.wish(temperature, by), heated].filter(Boolean).join(" · ");
  }

  /** @param {number} target @param {number} at "36 °C by 7:00 PM". */
  wish(target, at) {
    return fill(this.text.wish, { target: degrees(this.hass, target), time: moment(this.hass, at) });
  }

  /** @param {Pool} pool @param {Entity} entity @param {number} at What a request for this time would do; nothing is requested. */
  would(pool, entity, at = 0) {
    if (at && at !== this.foreseen.at) {
      const foreseen = (this.foreseen = { at });
      const asked = this.hass.callWS({ type: "poolctl/warm_by", entity_id: entity.id, at: new Date(at).toISOString() });
      asked.then((found) => (Object.assign(foreseen, found), this.show()), () => {});
    }
    return pool.sentences(this.foreseen.reasons);
  }

  /** @param {Pool} pool @param {Entity} entity The time that is asked for, and what it does. @returns {import("./card.js").Question} */
  choice(pool, entity) {
    const { text } = this;
    const days = upcoming(this.hass, this.time);
    const target = pool.entities.find(({ id }) => id === entity.id)?.state.attributes.temperature;
    const warm = (/** @type {number} */ at) => ({ label: this.wish(target, at), look: "primary", run: () => this.perform("poolctl.warm_by", entity.id, { at: new Date(at).toISOString() }) });
    const chosen = (/** @type {(value: string) => unknown} */ take) => (/** @type {Event & { target: HTMLInputElement }} */ { target }) => (take(target.value), this.show());
    return {
      title: `${pool.named(entity)} · ${text.warm_by}`,
      text: `${this.would(pool, entity, days[this.day])} ${text.warms}`,
      fields: [
        h("input", { type: "time", value: this.time, "aria-label": text.time, oninput: chosen((value) => (this.time = value)) }),
        h("select", { "aria-label": text.on_day, onchange: chosen((value) => (this.day = Number(value))) }, days.map((each, index) => h("option", { value: index, selected: index === this.day }, dayOf(this.hass, each)))),
      ],
      groups: [{ answers: [...days.slice(this.day, this.day + 1).map(warm), { label: text.cancel }] }],
    };
  }
}
