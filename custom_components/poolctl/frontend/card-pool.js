// Whether all is well, in one word and one sentence, and what the pump does; a tap shows what to do.

import { PoolCard } from "./card.js";
import { h } from "./dom.js";
import { MINUTE, capital, degrees, moment, number } from "./format.js";
import { known, outside } from "./pool.js";
import { fill } from "./words.js";

/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {{ rate: string, icon: string, word: string, sentence: string, doing?: string, why?: string }} Headline */
/** @typedef {{ word?: string, sentence?: string }} Doing */

/** How a state of the sensor *Status* looks. @type {Record<string, [string, string]>} */
const LOOK = {
  all_well: ["good", "mdi:check-bold"],
  notice: ["fair", "mdi:information-variant"],
  problem: ["poor", "mdi:exclamation-thick"],
  unknown: ["none", "mdi:help"],
  no_status: ["none", "mdi:help"],
};

/** Go to another page of Home Assistant. @type {(path: string) => void} */
const go = (path) => {
  history.pushState(null, "", path);
  window.dispatchEvent(new CustomEvent("location-changed", { detail: { replace: false } }));
};

export class PoolHeadline extends PoolCard {
  static style = `
    .headline { display: flex; flex-wrap: wrap; gap: 12px 20px; align-items: center; width: 100%; }
    .disc { flex: none; width: 96px; height: 96px; }
    .disc .ring { fill: none; stroke: var(--rate); stroke-width: 6; }
    .disc .water { fill: var(--primary-color); fill-opacity: 0.3; }
    .still .disc .water, .lost .disc .water { fill: var(--primary-text-color); fill-opacity: 0.12; }
    .disc text { fill: var(--primary-text-color); font-size: 22px; font-weight: 500; text-anchor: middle; }
    .lost .disc text, .disc .aged { fill: var(--secondary-text-color); }
    .runs .disc .water { animation: waves 4s linear infinite; }
    @keyframes waves { to { transform: translateX(-48px); } }
    .word { display: flex; align-items: center; gap: 8px; font-size: 22px; font-weight: 500; line-height: 28px; }
    .word .mark { --mdc-icon-size: 20px; flex: none; display: grid; place-items: center; width: 28px; height: 28px; border-radius: 50%; color: var(--card-background-color, #fff); background: var(--rate); }
    .sentence { font-size: 16px; line-height: 24px; }
    .headline [role="status"] { flex: 1 1 120px; min-width: 0; overflow-wrap: anywhere; }
    .doing { display: block; font-size: 14px; line-height: 20px; color: var(--secondary-text-color); }
    .open { flex: none; display: flex; align-items: center; color: var(--secondary-text-color); }
    .step { margin-top: 12px; width: 100%; }
    .why { margin-top: 12px; }
    .name { font-size: 14px; line-height: 20px; color: var(--secondary-text-color); }
    ul { list-style: none; margin: 16px 0 0; padding: 0; display: grid; gap: 12px; }
    li { padding-inline-start: 12px; border-inline-start: 4px solid var(--rate); font-size: 14px; line-height: 20px; }
    li b { font-weight: 500; display: block; }
    .last { margin-top: 16px; }
    dl { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 4px 0 0; }
    dt { font-size: 12px; color: var(--secondary-text-color); }
    dd { margin: 0; font-size: 18px; }
  `;

  open = false;
  /** When it answered last, if its last readings were asked for; 0 while it is not lost. */
  lostAt = 0;
  /** @type {{ label: string, value: string }[]} */
  last = [];

  /** @param {Pool} pool */
  async changed(pool) {
    // Until its state expires, the other cards still show them.
    const gone = pool.lost && !known(pool.one("sensor", "ph", "water_temperature")?.state);
    const since = (gone && pool.answeredAt) || 0;
    if (since !== this.lostAt) {
      this.lostAt = since;
      this.last = since ? await this.remembered(pool, since) : [];
      this.show();
    }
  }

  /** @param {Pool} pool @param {number} lost What was measured last before the controller was lost. */
  async remembered(pool, lost) {
    const readings = pool.all("sensor", "water_temperature", "ph", "orp");
    const past = await pool.states(readings, lost - 30 * MINUTE).catch(() => undefined);
    return readings.flatMap((entity) => {
      const valid = (past?.[entity.id] ?? []).filter(({ s }) => Number.isFinite(Number(s)));
      const found = valid[valid.length - 1];
      return found ? [{ label: pool.named(entity), value: pool.text(entity, found.s) }] : [];
    });
  }

  /** @param {Pool} pool */
  draw(pool) {
    const { rate, icon, word, sentence, doing, why } = this.headline(pool);
    const more = pool.problems.length > 0;
    const look = pool.lost ? "lost" : pool.state("switch", "pump") === "on" ? "runs" : "still";
    return [
      h(
        "button",
        { key: "headline", class: `headline ${rate} ${look}`, ...this.tap(pool, more) },
        this.disc(pool),
        h(
          "span",
          { role: "status" },
          h("span", { class: "name" }, pool.name),
          h("span", { class: "word" }, h("span", { class: "mark" }, h("ha-icon", { icon, "aria-hidden": "true" })), word),
          h("span", { class: "sentence" }, sentence),
          doing && h("span", { class: "doing" }, doing),
        ),
        this.chevron(pool, more),
      ),
      why && h("p", { key: "why", class: "soft why" }, why),
      this.step(pool),
      this.lastReadings(),
      (this.open || pool.lost) && this.problems(pool, doing),
    ];
  }

  /** @param {Pool} pool @param {boolean} more */
  tap(pool, more) {
    const { status } = pool;
    if (more && !pool.lost) {
      return { "aria-expanded": String(this.open), onclick: () => ((this.open = !this.open), this.show()) };
    }
    return { onclick: () => this.more((status ?? pool.connection ?? pool.entities[0]).id) };
  }

  /** @param {Pool} pool @param {boolean} more That it opens, and how many problems are behind the first. */
  chevron({ problems, lost }, more) {
    const icon = `mdi:chevron-${!more || lost ? "right" : this.open ? "up" : "down"}`;
    return h("span", { class: "open" }, problems.length > 1 && `+${problems.length - 1}`, h("ha-icon", { icon, "aria-hidden": "true" }));
  }

  /** @param {Pool} pool The action of the next step. */
  step(pool) {
    const { key, label, entity_id: id, perform_action: action, url } = pool.problems[0]?.action ?? {};
    const button = pool.entities.find((entity) => entity.domain === "button" && entity.id === id);
    if (button) {
      const { label: name, props } = this.confirming(pool, button);
      return h("button", { ...props, class: "action primary step" }, name);
    }
    const run = () => (id && action ? this.perform(action, id) : go(url ?? ""));
    return label && h("button", { key: "step", class: "action primary step", onclick: run }, this.text[`action_${key}`] ?? label);
  }

  /** @param {Pool} pool @returns {Headline} */
  headline(pool) {
    const { text } = this;
    if (pool.lost) {
      // A pool that is not polled, as in a closed season, cannot answer.
      const [word, time, usual] = known(pool.connection?.state) ? [text.silent, text.since, text.no_answer] : [text.last_seen, "{time}", text.not_read];
      const sentence = capital(this.hass, fill(time, { time: moment(this.hass, pool.answeredAt) }));
      const why = pool.problems.find(({ key }) => key === "unreachable")?.next_step;
      return { rate: "none", icon: "mdi:lan-disconnect", word, sentence, why: why || usual };
    }
    return pool.problems.length ? this.wrong(pool) : this.well(pool);
  }

  /** @param {Pool} pool The worst problem; beside it, what the pump does, or what to do while it runs dry. @returns {Headline} */
  wrong(pool) {
    const [{ key, severity, sentence, next_step: step }] = pool.problems;
    const [rate, icon] = LOOK[severity];
    const doing = key === "dry_run" && step ? step : capital(this.hass, this.doing(pool).sentence);
    return { rate, icon, word: this.text[severity], sentence, doing };
  }

  /** @param {Pool} pool @returns {Headline} */
  well(pool) {
    const { text } = this;
    const doing = this.doing(pool);
    const sentence = capital(this.hass, [this.spa(pool), ...this.readings(pool), doing.sentence, this.heating(pool)].filter(Boolean).join(" · "));
    if (pool.throughCloud) {
      const parts = pool.one("climate") ? { sentence: capital(this.hass, text.no_heating), doing: sentence } : { sentence };
      return { rate: "none", icon: "mdi:cloud-outline", word: text.through_cloud, ...parts };
    }
    const state = pool.state("sensor", "status");
    const open = pool.all("sensor", "ph", "orp", "water_temperature").some(outside);
    const shown = !pool.status ? "no_status" : open ? "notice" : state in LOOK ? state : "unknown";
    const [rate, icon] = LOOK[shown];
    return { rate, icon, word: (!open && doing.word) || text[shown], sentence };
  }

  /** @param {Pool} pool How warm the spa is and will be, and when, while it is on. */
  spa(pool) {
    const { current_temperature: now, temperature: target, expected_warm_time: at } = pool.one("climate", "spa_heating")?.state.attributes ?? {};
    if (pool.state("switch", "spa_mode") !== "on" || !Number.isFinite(target)) {
      return "";
    }
    const shown = (/** @type {number | null | undefined} */ value) => (Number.isFinite(value) ? number(this.hass, Number(value), Number.isInteger(value) ? 0 : 1) : "");
    const reached = now >= target ? shown(now) : `${shown(now)} → ${shown(target)}`.trim();
    const warm = Date.parse(at);
    const when = warm ? `, ${fill(this.text.warm_at, { time: moment(this.hass, warm) })}` : "";
    return `${this.text.part_spa} ${reached} ${this.hass.config.unit_system.temperature}${when}`;
  }

  /** @param {Pool} pool What heats, and how far; the spa has its own words while it is on. */
  heating(pool) {
    const spa = pool.state("switch", "spa_mode") === "on" ? "spa_heating" : "";
    const targets = pool.all("climate").filter(({ key, state }) => key !== spa && state.attributes.hvac_action === "heating");
    return targets.map(({ state }) => fill(this.text.heats, { target: degrees(this.hass, state.attributes.temperature) })).join(" · ");
  }

  /** @param {Pool} pool */
  readings(pool) {
    return pool
      .all("sensor", ...(pool.state("switch", "spa_mode") === "on" ? ["ph"] : ["ph", "water_temperature"]))
      .filter(({ state }) => known(state))
      .map((entity) => (entity.key === "ph" ? `pH ${pool.text(entity)}` : pool.text(entity)));
  }

  /** What the pump does and until when, or when it runs next. @param {Pool} pool @returns {Doing} */
  doing(pool) {
    const { text } = this;
    const { pump_until: until, next_run: next, next_schedule: name } = pool.status?.state.attributes ?? {};
    const { ends } = pool.one("sensor", "pump_status")?.state.attributes ?? {};
    const time = (/** @type {string} */ at) => moment(this.hass, Date.parse(at));
    const end = (/** @type {string | undefined} */ at) => (at ? ` ${fill(text.until, { time: time(at) })}` : "");
    /** @type {Record<string, Doing>} */
    const found = {
      cooling_down: { word: text.stopping, sentence: text.cooling + end(ends) },
      priming: { word: text.starting, sentence: text.priming + end(ends) },
      starting: { word: text.starting, sentence: text.priming },
      running: { sentence: text.filtering + end(until) },
      off: { sentence: [text.pump_off + end(until), next && fill(text.next, { name, time: time(next) })].filter(Boolean).join(" · ") },
    };
    return found[pool.state("sensor", "pump_status")] ?? {};
  }

  /** @param {Pool} pool The water with its temperature, in a ring of the colour of its condition. */
  disc(pool) {
    const water = pool.one("sensor", "water_temperature");
    const degrees = pool.reading(water).replace(/\s*[CF]$/, "").replace(/\s/g, "");
    const aged = pool.throughCloud || water?.state.attributes.measured_at;
    return h(
      "svg",
      { class: "disc", viewBox: "0 0 96 96", "aria-hidden": "true" },
      h("defs", null, h("clipPath", { id: "inside" }, h("circle", { cx: 48, cy: 48, r: 42 }))),
      h("g", { "clip-path": "url(#inside)" }, h("path", { class: "water", d: `M0 52 q12 -8 24 0 t24 0 t24 0 t24 0 t24 0 t24 0 V96 H0 Z` })),
      h("circle", { class: "ring", cx: 48, cy: 48, r: 44 }),
      h("text", { class: aged && "aged", x: 48, y: 46 }, degrees),
    );
  }

  /** What was measured last, at the time of the last answer. */
  lastReadings() {
    const title = this.text.last_readings;
    return this.last.length > 0 && h(
      "div",
      { key: "last" },
      h("p", { class: "soft last" }, title),
      h("dl", { "aria-label": title }, this.last.map(({ label, value }) => h("div", null, h("dt", null, label), h("dd", null, value)))),
    );
  }

  /** @param {Pool} pool @param {string | undefined} doing What the headline has already. */
  problems(pool, doing) {
    // Of a lost controller, the card itself says that it does not answer.
    const shown = pool.problems.filter(({ key }) => !pool.lost || key !== "unreachable");
    return shown.length > 0 && h(
      "ul",
      { key: "problems" },
      shown.map(({ key, severity, sentence, next_step, since }, at) => {
        const step = next_step !== doing && next_step;
        return h(
          "li",
          { key, class: severity === "problem" ? "poor" : "fair" },
          // The first one is the headline already.
          (at > 0 || pool.lost || !step) && h("b", null, sentence),
          step,
          since && h("div", { class: "soft" }, fill(this.text.since, { time: moment(this.hass, Date.parse(since)) })),
        );
      }),
    );
  }
}
