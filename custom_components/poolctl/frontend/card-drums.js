// What is left in the drums and how long it lasts; the filter beside them.

import { PoolCard } from "./card.js";
import { h } from "./dom.js";
import { capital, days, daysUntil, duration } from "./format.js";
import { known } from "./pool.js";
import { fill } from "./words.js";

/** @typedef {import("./pool.js").Entity} Entity */
/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {{ name: string, shape: string, share: number, value: string, note: string, rate: string, button: Entity | undefined }} Level */

/** Keys of the entities and problems of a doser. */
const DOSERS = [
  { show: "acid", left: "acid_remaining", size: "acid_drum_size", lasts: "acid_lasts_until", refill: "mark_acid_drum_full", problems: ["acid_low", "acid_without_effect", "acid_limit"] },
  { show: "chlorine", left: "chlorine_remaining", size: "chlorine_drum_size", lasts: "chlorine_lasts_until", refill: "mark_chlorine_drum_full", problems: ["chlorine_low", "chlorine_without_effect"] },
];

/** What distinguishes a drum and a filter, which has a valve and two pipes. @type {Record<string, string[]>} */
const SHAPES = {
  drum: ["M30 4h28v8H30z"],
  filter: ["M34 2h20v10H34z", "M0 24h10v8H0z", "M78 24h10v8H78z"],
};

export class PoolDrums extends PoolCard {
  static contents = ["acid", "chlorine", "filter"];
  static style = `
    .drums { display: grid; grid-template-columns: repeat(auto-fit, minmax(92px, 1fr)); gap: 12px; }
    .drum { border-radius: 12px; display: grid; grid-template-rows: subgrid; grid-row: span 3; justify-items: center; align-content: start; row-gap: 4px; text-align: center; }
    .drum svg { width: 72px; height: 92px; }
    .shell { fill: var(--primary-text-color); fill-opacity: 0.06; stroke: var(--secondary-text-color); stroke-width: 2; }
    .fair .shell, .poor .shell { stroke: var(--rate); stroke-width: 4; }
    .fill { fill: var(--rate); fill-opacity: 0.45; transition: y 300ms, height 300ms; }
    .lid { fill: var(--secondary-text-color); }
    svg text { fill: var(--primary-text-color); font-weight: 500; text-anchor: middle; }
    .name { font-weight: 500; }
    .head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px 12px; min-height: 40px; margin: -8px 0 8px; }
    .head h2 { margin: 0; }
    .first { width: 100%; display: flex; align-items: center; justify-content: space-between; min-height: 44px; margin-top: 12px; }
    .first:first-child { margin-top: 0; }
  `;

  /** @param {Pool} pool */
  draw(pool) {
    const levels = [...DOSERS.map((doser) => this.doser(pool, doser)), this.filter(pool)].filter((level) => level !== undefined);
    const first = this.first(pool);
    const shapes = new Set([...levels.map(({ shape }) => shape), ...(first ? ["filter"] : [])]);
    const title = shapes.size === 1 ? (shapes.has("filter") ? this.text.part_filter : this.text.drums_only) : this.text.drums;
    return [
      h("div", { class: "head" }, h("h2", null, title), this.pause(pool)),
      levels.length > 0 && h("div", { class: "drums" }, levels.map((level) => this.level(pool, level))),
      first ?? (shapes.size === 0 && h("p", { class: "soft" }, this.text.no_drums)),
    ];
  }

  /** @param {Pool} pool What stops dosing for a time, or ends that. */
  pause(pool) {
    const { text } = this;
    const switches = pool.all("switch", "automatic_ph", "automatic_liquid_chlorine", "automatic_chlorination");
    const doses = switches.filter(({ state }) => state.state === "on");
    const paused = switches.filter((entity) => entity.state.attributes.paused_until && !doses.includes(entity));
    if (paused.length) {
      const goOn = () => paused.forEach(({ id }) => this.perform("switch.turn_on", id));
      const reasons = [...new Set(paused.map((entity) => pool.why(entity)))];
      const each = doses.length || reasons.length > 1 ? paused.map((entity) => `${pool.named(entity)} · ${pool.why(entity)}`) : reasons;
      return h("div", { class: "head" }, h("div", { role: "status" }, each.map((line) => h("div", null, line))), h("button", { class: "action", onclick: goOn }, text.resume));
    }
    if (!doses.length) {
      return null;
    }
    const times = [30, 120].map((minutes) => ({
      label: duration(this.hass, minutes * 60_000),
      run: () => this.perform("poolctl.pause_dosing", switches.map(({ id }) => id), { duration: { minutes } }),
    }));
    const offer = () => this.ask(() => ({ title: text.pause, text: text.pauses, groups: [{ answers: [...times, { label: text.cancel }] }] }));
    return h("button", { class: "action", onclick: offer }, text.pause);
  }

  /** @param {Pool} pool @param {typeof DOSERS[number]} doser @returns {Level | undefined} */
  doser(pool, doser) {
    const left = pool.one("sensor", doser.left);
    if (!left || !this.shows(doser.show)) {
      return undefined;
    }
    const size = pool.one("number", doser.size);
    const litres = pool.numbered(left);
    const full = pool.reading(size);
    const refill = pool.one("button", doser.refill);
    return {
      name: this.text[`part_${doser.show}`],
      shape: "drum",
      share: litres / pool.numbered(size),
      value: litres === 0 ? this.text.empty : pool.reading(left),
      note: capital(this.hass, [full && fill(this.text.of_size, { size: full }), litres > 0 && this.lasts(pool, doser.lasts)].filter(Boolean).join(" · ")),
      rate: Number.isFinite(litres) ? pool.rate(left, ...doser.problems) : "none",
      button: full ? refill : undefined,
    };
  }

  /** @param {Pool} pool @param {string} key */
  lasts(pool, key) {
    const state = pool.one("sensor", key)?.state;
    return known(state) && state ? fill(this.text.lasts, { days: days(this.hass, Math.max(daysUntil(this.hass, Date.parse(`${state.state}T12:00:00`)), 1)) }) : "";
  }

  /** @param {Pool} pool What begins to measure the filter: its load is not known before it was called clean, and has flow. */
  first(pool) {
    const [load, clean] = [pool.one("sensor", "filter_load"), pool.one("button", "mark_filter_clean")];
    const note = load ? this.text.measuring : this.text.clean_first;
    const wanted = clean && this.shows("filter") && !Number.isFinite(pool.numbered(load));
    return wanted ? h("button", { ...this.confirming(pool, clean).props, class: "first soft" }, `${this.text.part_filter} · ${note}`, h("ha-icon", { icon: "mdi:chevron-right", "aria-hidden": "true" })) : undefined;
  }

  /** @param {Pool} pool @returns {Level | undefined} */
  filter(pool) {
    const load = pool.one("sensor", "filter_load");
    if (!load || !Number.isFinite(pool.numbered(load)) || !this.shows("filter")) {
      return undefined;
    }
    const limit = pool.one("number", "filter_limit");
    return {
      name: this.text.part_filter,
      shape: "filter",
      share: pool.numbered(load) / (limit ? pool.numbered(limit) : 100),
      value: pool.text(load),
      note: limit ? fill(this.text.limit, { limit: pool.text(limit) }) : "",
      rate: pool.rate(load, "filter_needs_cleaning"),
      button: pool.one("button", "mark_filter_clean"),
    };
  }

  /** @param {Pool} pool @param {Level} level A tap offers what a person states of it. */
  level(pool, { name, shape, share, value: text, note, rate, button }) {
    const value = text || "–";
    const part = Math.min(Math.max(Number.isFinite(share) ? share : 0, 0), 1);
    const height = 84 * part;
    return h(
      button ? "button" : "div",
      { ...(button && this.confirming(pool, button).props), key: name, class: `drum ${rate}` },
      h(
        "svg",
        { viewBox: "0 0 88 112", role: "img", "aria-label": `${value}, ${this.text[`rate_${rate}`]}` },
        SHAPES[shape].map((d) => h("path", { class: "lid", d })),
        h("rect", { class: "fill", x: 10, y: 20 + 84 - height, width: 68, height, rx: 4 }),
        h("rect", { class: "shell", x: 6, y: 14, width: 76, height: 94, rx: shape === "drum" ? 10 : 34 }),
        h("text", { x: 44, y: 68, "font-size": Math.min(18, 140 / value.length) }, value),
      ),
      h("span", { class: "name" }, name),
      h("span", { class: "soft" }, note),
    );
  }
}
