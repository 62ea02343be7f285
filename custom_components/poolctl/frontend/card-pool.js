// Whether all is well, in one word and one sentence, and what the pump does; a tap shows what to do.

import { PoolCard } from "./card.js";
import { h } from "./dom.js";
import { moment, number } from "./format.js";
import { known } from "./pool.js";
import { fill } from "./words.js";

const MINUTE = 60_000;

/** @typedef {{ rate: string, icon: string, word: string, sentence: string, doing?: string }} Headline */
/** @typedef {{ word?: string, sentence?: string }} Doing */

/** How a state of the sensor *Status* looks. @type {Record<string, [string, string]>} */
const LOOK = {
  all_well: ["good", "mdi:check-bold"],
  notice: ["fair", "mdi:information-variant"],
  problem: ["poor", "mdi:exclamation-thick"],
  unknown: ["none", "mdi:help"],
};

export class PoolHeadline extends PoolCard {
  static style = `
    .headline { display: flex; gap: 20px; align-items: center; width: 100%; }
    .disc { flex: none; width: 96px; height: 96px; }
    .disc .ring { fill: none; stroke: var(--rate); stroke-width: 6; }
    .disc .water { fill: color-mix(in srgb, var(--primary-color) 30%, transparent); }
    .still .disc .water, .lost .disc .water { fill: color-mix(in srgb, var(--primary-text-color) 12%, transparent); }
    .disc text { fill: var(--primary-text-color); font-size: 22px; font-weight: 500; text-anchor: middle; }
    .runs .disc .water { animation: waves 4s linear infinite; }
    @keyframes waves { to { transform: translateX(-48px); } }
    .word { display: flex; align-items: center; gap: 8px; font-size: 22px; font-weight: 500; line-height: 28px; }
    .word .mark { --mdc-icon-size: 20px; flex: none; display: grid; place-items: center; width: 28px; height: 28px; border-radius: 50%; color: var(--card-background-color, #fff); background: var(--rate); }
    .sentence { font-size: 16px; line-height: 24px; }
    .headline [role="status"] { flex: 1; min-width: 0; }
    .doing { display: block; font-size: 14px; line-height: 20px; color: var(--secondary-text-color); }
    .open { flex: none; display: flex; align-items: center; color: var(--secondary-text-color); }
    .step { margin-top: 12px; width: 100%; background: var(--primary-color); color: var(--text-primary-color, #fff); }
    .step:hover { background: color-mix(in srgb, var(--primary-color) 85%, #000); }
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
  /** Of which loss the last readings were asked for; 0 while it is not lost. */
  asked = 0;
  /** @type {{ label: string, value: string }[]} */
  last = [];

  /** @param {import("./pool.js").Pool} pool */
  changed(pool) {
    // Until its state expires, the other cards still show them.
    const gone = pool.lost && !known(pool.one("sensor", "ph", "water_temperature")?.state);
    const since = (gone && pool.answeredAt) || 0;
    if (since !== this.asked) {
      this.asked = since;
      this.last = [];
      if (since) {
        this.remember(pool, since);
      }
    }
  }

  /** @param {import("./pool.js").Pool} pool @param {number} lost Look up what was measured last before the controller was lost. */
  async remember(pool, lost) {
    const readings = pool.all("sensor", "water_temperature", "ph", "orp");
    const past = await this.hass
      .callWS({
        type: "history/history_during_period",
        start_time: new Date(lost - 30 * MINUTE).toISOString(),
        end_time: new Date(lost + 3 * MINUTE).toISOString(),
        entity_ids: readings.map(({ id }) => id),
        minimal_response: true,
        no_attributes: true,
      })
      .catch(() => ({}));
    this.last = readings.flatMap((entity) => {
      const valid = (past[entity.id] ?? []).filter((/** @type {{ s: string }} */ { s }) => Number.isFinite(Number(s)));
      const found = valid.at(-1);
      return found ? [{ label: pool.named(entity), value: pool.text(entity, found.s) }] : [];
    });
    this.show();
  }

  /** @param {import("./pool.js").Pool} pool */
  draw(pool) {
    const { rate, icon, word, sentence, doing } = this.headline(pool);
    const more = pool.lost || pool.problems.length > 0;
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
      this.step(pool),
      this.lastReadings(pool),
      (this.open || pool.lost) && more && this.problems(pool),
    ];
  }

  /** @param {import("./pool.js").Pool} pool @param {boolean} more */
  tap(pool, more) {
    const { status } = pool;
    if (more && !pool.lost) {
      return { "aria-expanded": String(this.open), onclick: () => ((this.open = !this.open), this.show()) };
    }
    return { onclick: () => this.more((status ?? pool.connection ?? pool.entities[0]).id) };
  }

  /** @param {import("./pool.js").Pool} pool @param {boolean} more That it opens, and how many problems are behind the first. */
  chevron({ problems, lost }, more) {
    const icon = `mdi:chevron-${!more || lost ? "right" : this.open ? "up" : "down"}`;
    return h("span", { class: "open" }, problems.length > 1 && `+${problems.length - 1}`, h("ha-icon", { icon, "aria-hidden": "true" }));
  }

  /** @param {import("./pool.js").Pool} pool The action of the next step. */
  step({ problems: [problem] }) {
    const { label = "", entity_id: button, url } = problem?.action ?? {};
    const run = button ? () => this.perform("button.press", button) : () => this.go(url ?? "");
    // A button first explains what it is for.
    const ask = () => this.ask(label, problem.next_step ?? "", [{ answers: [{ label, run }, { label: this.text.cancel }] }]);
    return problem?.action && h("button", { key: "step", class: "action step", onclick: button ? ask : run }, label);
  }

  /** @param {import("./pool.js").Pool} pool @returns {Headline} */
  headline(pool) {
    const { text } = this;
    const problem = pool.problems[0]?.sentence;
    if (pool.lost) {
      const why = pool.problems[0]?.key === "unreachable" ? pool.problems[0].next_step : problem;
      // A pool that is not polled, as in a closed season, cannot answer.
      const word = known(pool.connection?.state) ? text.silent : text.last_seen;
      return { rate: "none", icon: "mdi:lan-disconnect", word: fill(word, { time: moment(this.hass, pool.answeredAt) }), sentence: why || text.no_answer };
    }
    return this.reached(pool, problem);
  }

  /** @param {import("./pool.js").Pool} pool @param {string | undefined} problem @returns {Headline} */
  reached(pool, problem) {
    const { text } = this;
    const doing = this.doing(pool);
    const sentence = [this.spa(pool), ...this.readings(pool), doing.sentence].filter(Boolean).join(" · ");
    if (!problem && pool.throughCloud) {
      const parts = pool.one("climate") ? { sentence: text.no_heating, doing: sentence } : { sentence };
      return { rate: "none", icon: "mdi:cloud-outline", word: text.through_cloud, ...parts };
    }
    const shown = pool.state("sensor", "status");
    const state = shown in LOOK ? shown : "unknown";
    const [[rate, icon], word] = [LOOK[state], text[state]];
    return problem ? { rate, icon, word, sentence: problem, doing: doing.sentence } : { rate, icon, word: doing.word ?? word, sentence };
  }

  /** @param {import("./pool.js").Pool} pool How warm the spa is and will be, and when, while it is on. */
  spa(pool) {
    const { current_temperature: now, temperature: target } = pool.one("climate", "spa")?.state?.attributes ?? {};
    if (pool.state("switch", "spa_mode") !== "on" || !Number.isFinite(target)) {
      return "";
    }
    const ends = now < target ? [now, target] : [now ?? target];
    const degrees = ends.map((value) => number(this.hass, value, Number.isInteger(value) ? 0 : 1)).join(" → ");
    const warm = Date.parse(pool.state("sensor", "spa_warm_at"));
    const when = warm ? `, ${fill(this.text.warm_at, { time: moment(this.hass, warm) })}` : "";
    return `${this.text.contents.spa} ${degrees} ${this.hass.config.unit_system.temperature}${when}`;
  }

  /** @param {import("./pool.js").Pool} pool */
  readings(pool) {
    return pool
      .all("sensor", ...(pool.state("switch", "spa_mode") === "on" ? ["ph"] : ["ph", "water_temperature"]))
      .filter(({ state }) => known(state))
      .map((entity) => (entity.key === "ph" ? `pH ${pool.text(entity)}` : pool.text(entity)));
  }

  /** What the pump does and until when, or when it runs next. @param {import("./pool.js").Pool} pool @returns {Doing} */
  doing(pool) {
    const { text } = this;
    const { pump_until: until, next_run: next, next_schedule: name } = pool.status?.state?.attributes ?? {};
    const { ends } = pool.one("sensor", "pump_status")?.state?.attributes ?? {};
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

  /** @param {import("./pool.js").Pool} pool The water with its temperature, in a ring of the colour of its condition. */
  disc(pool) {
    const water = pool.one("sensor", "water_temperature");
    const degrees = known(water?.state) ? pool.text(water).replace(/\s*[CF]$/, "").replace(/\s/g, "") : "";
    return h(
      "svg",
      { class: "disc", viewBox: "0 0 96 96", "aria-hidden": "true" },
      h("defs", null, h("clipPath", { id: "inside" }, h("circle", { cx: 48, cy: 48, r: 42 }))),
      h("g", { "clip-path": "url(#inside)" }, h("path", { class: "water", d: `M0 52 q12 -8 24 0 t24 0 t24 0 t24 0 t24 0 t24 0 V96 H0 Z` })),
      h("circle", { class: "ring", cx: 48, cy: 48, r: 44 }),
      h("text", { x: 48, y: 46 }, degrees),
    );
  }

  /** @param {import("./pool.js").Pool} pool What was measured last, at the time of the last answer. */
  lastReadings(pool) {
    if (!this.last.length) {
      return null;
    }
    const title = `${this.text.last_readings}, ${moment(this.hass, pool.answeredAt)}`;
    return h(
      "div",
      { key: "last" },
      h("p", { class: "soft last" }, title),
      h("dl", { "aria-label": title }, this.last.map(({ label, value }) => h("div", null, h("dt", null, label), h("dd", null, value)))),
    );
  }

  /** @param {import("./pool.js").Pool} pool */
  problems(pool) {
    return h(
      "ul",
      { key: "problems" },
      pool.problems.map(({ key, severity, sentence, next_step, since }, at) =>
        h(
          "li",
          { key, class: severity === "problem" ? "poor" : "fair" },
          // The first one is the headline already.
          at > 0 && h("b", null, sentence),
          next_step,
          since && h("div", { class: "soft" }, fill(this.text.since, { time: moment(this.hass, Date.parse(since)) })),
        ),
      ),
    );
  }
}
