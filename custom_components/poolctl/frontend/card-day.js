// Today by position: behind, what the schedules plan; in front, what really ran.

import { PoolCard, heldByHand } from "./card.js";
import { rises, runs, shaded, total, within } from "./day.js";
import { h } from "./dom.js";
import { MINUTE, capital, clock, duration, hourOfDay, number, zoneOf } from "./format.js";
import { kindOf, known } from "./pool.js";
import { fill } from "./words.js";

const HOURS = [0, 6, 12, 18, 24];

/** @typedef {import("./pool.js").Entity} Entity */
/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {import("./day.js").Span} Span */
/** @typedef {import("./day.js").Run} Run */
/** @typedef {import("./day.js").Past} Past */
/** @typedef {{ id: string, name: string, kind: string, planned: Span[], ran: Run[], sum?: string, prices?: (Span & { value: number })[] }} Row */

/** What grows with each dose. */
const DOSED = ["acid_used_today", "chlorine_used_today"];

export class PoolDay extends PoolCard {
  static contents = ["pump", "heating", "spa", "lights", "outputs", "doses"];
  static minColumns = 12;
  static style = `
    .row { margin-bottom: 8px; }
    .label { display: flex; justify-content: space-between; gap: 12px; font-size: 14px; line-height: 20px; }
    .label span + span { color: var(--secondary-text-color); white-space: nowrap; }
    svg { display: block; width: 100%; }
    .bar { height: 24px; }
    .pump .bar { height: 32px; }
    .doses .bar { height: 12px; }
    .price { height: 16px; margin-bottom: 2px; }
    .price polyline { fill: none; stroke: var(--secondary-text-color); stroke-width: 1; vector-effect: non-scaling-stroke; }
    .whole { fill: var(--primary-text-color); fill-opacity: 0.05; }
    .planned { fill: var(--primary-text-color); fill-opacity: 0.18; }
    .ran { fill: var(--primary-color); shape-rendering: crispEdges; }
    .by-hand { fill: none; stroke: var(--primary-text-color); stroke-width: 2; stroke-dasharray: 5 3; }
    .grid { stroke: var(--divider-color, #ccc); stroke-width: 1; }
    .now { stroke: var(--primary-text-color); stroke-width: 2; }
    .axis { display: flex; justify-content: space-between; font-size: 12px; line-height: 16px; color: var(--secondary-text-color); }
    .sum { margin-top: 12px; font-weight: 500; }
    .legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 8px; font-size: 12px; line-height: 16px; color: var(--secondary-text-color); }
    .legend span { display: inline-flex; align-items: center; gap: 6px; }
    .legend svg { width: 16px; height: 12px; }
  `;

  /** @type {Record<string, Past[]> | undefined} */
  past;
  day = { from: 0, to: 0 };
  pastOf = "";

  /** @param {Pool} pool */
  changed(pool) {
    const zone = zoneOf(this.hass);
    this.day = { from: hourOfDay(Date.now(), zone, 0), to: hourOfDay(Date.now(), zone, 24) };
    const past = [this.gaps, pool.id, this.day.from, this.followed(pool).length].join();
    if (this.pastOf !== past) {
      this.pastOf = past;
      this.recall(pool);
    } else {
      this.follow(pool);
    }
  }

  /** @param {Pool} pool Everything whose past is shown. */
  followed(pool) {
    return [...this.heaters(pool), ...pool.outputs, ...pool.all("sensor", "pump_speed", "pump_energy", ...DOSED)];
  }

  /** @param {Pool} pool What heats: the thermostats, or the heaters of a pool that has none through the cloud. */
  heaters(pool) {
    const thermostats = pool.all("climate");
    return thermostats.length ? thermostats : pool.all("binary_sensor", "pool_heater", "solar_heating", "spa_heater");
  }

  /** @param {Entity} entity When water is heated, to be warm by a time, and the prices of these hours. @returns {{ spans: Span[], prices: (Span & { value: number })[] }} */
  heated({ state: { attributes } }) {
    const { warm_by_done: done = [], warm_by_planned: planned = [], warm_by_prices: prices = [] } = attributes;
    const spans = [...done, ...planned].map(({ start, end }) => ({ from: Date.parse(start), to: Date.parse(end) }));
    return { spans, prices: prices.map((/** @type {[string, string, number]} */ [from, to, value]) => ({ from: Date.parse(from), to: Date.parse(to), value })) };
  }

  /** @param {Pool} pool @returns {Row[]} What was dosed: a mark for each dose. */
  doses(pool) {
    return pool.all("sensor", ...DOSED).map((entity) => {
      const ran = rises(this.past?.[entity.id] ?? []).flatMap(({ at }) => within({ from: at, to: at + MINUTE, level: 1, held: false }, this.day));
      return { id: entity.id, name: pool.named(entity), kind: "doses", planned: [], ran, sum: pool.text(entity) };
    });
  }

  /** @param {Pool} pool */
  async recall(pool) {
    const all = this.followed(pool);
    const sensors = all.filter(({ domain }) => domain === "sensor");
    const others = all.filter(({ domain }) => domain !== "sensor");
    const asked = this.pastOf;
    const found = await Promise.all([
      pool.states(sensors, this.day.from),
      pool.states(others, this.day.from, { significant_changes_only: false }),
    ]).catch(() => undefined);
    if (asked === this.pastOf) {
      this.past = found && { ...found[0], ...found[1] };
      // The recorder may not have the newest yet.
      this.follow(this.pool ?? pool);
      this.show();
    }
  }

  /** @param {Pool} pool Add what happened since. */
  follow(pool) {
    for (const { id, state } of this.followed(pool)) {
      const past = this.past?.[id];
      const at = state ? Date.parse(state.last_updated) / 1000 : NaN;
      if (state && past && at > (past[past.length - 1]?.lu ?? 0)) {
        past.push({ s: state.state, lu: at, a: state.attributes });
      }
    }
  }

  /** @param {Pool} pool */
  draw(pool) {
    const rows = this.rows(pool);
    return [
      h("h2", null, this.text.day),
      rows.map((row) => this.row(row)),
      h("div", { class: "axis", "aria-hidden": "true" }, HOURS.map((hour) => h("span", null, clock(this.hass, this.at(hour))))),
      h("p", { key: "sum", class: "sum" }, this.sum(pool)),
      this.legend(rows),
      this.pastOf && !this.past && h("p", { key: "none", class: "soft" }, this.text.no_history),
    ];
  }

  /** @param {Pool} pool @returns {Row[]} */
  rows(pool) {
    const heating = this.heaters(pool).map((entity) => this.rowOf(pool, entity, "heating"));
    const outputs = pool.outputs.map((entity) => this.rowOf(pool, entity, kindOf(entity)));
    const shown = outputs.filter((row) => row.kind === "pump" || row.planned.length || happened(row));
    return [...heating.filter((row) => row.planned.length || happened(row)), ...shown, ...this.doses(pool).filter(happened)].filter(({ kind }) => this.shows(kind)).sort((one, other) => place(one) - place(other));
  }

  /** @param {Pool} pool @param {Entity} entity @param {string} kind @returns {Row} */
  rowOf(pool, entity, kind) {
    const now = Date.now();
    const { spans, prices } = this.heated(entity);
    const planned = [...this.planned(entity), ...spans].flatMap((span) => within(span, this.day));
    const ran = runs(this.past?.[entity.id] ?? [], this.day, now);
    const [speed] = pool.all("sensor", "pump_speed");
    const faster = kind === "pump" && speed ? shaded(ran, this.past?.[speed.id] ?? [], now) : ran;
    return { id: entity.id, name: pool.named(entity), kind, planned, ran: [...faster, ...this.still(entity, now)], prices: prices.flatMap((price) => within(price, this.day)) };
  }

  /** @param {Entity} entity @param {number} now What is held from now on, as far as that is certain. @returns {Run[]} */
  still(entity, now) {
    const until = entity.state.attributes.held_until;
    return until && heldByHand(entity) ? within({ from: now, to: Date.parse(until), level: 0, held: true }, this.day) : [];
  }

  /** @param {number} at */
  share(at) {
    return `${(((at - this.day.from) / (this.day.to - this.day.from)) * 100).toFixed(2)}%`;
  }

  /** @param {Span} span */
  place({ from, to }) {
    return { x: this.share(from), width: `${(((to - from) / (this.day.to - this.day.from)) * 100).toFixed(2)}%` };
  }

  /** @param {Row} row */
  row({ id, name, kind, planned, ran, sum, prices = [] }) {
    const high = { pump: 32, doses: 12 }[kind] ?? 24;
    const now = this.share(Date.now());
    return h(
      "div",
      { key: id, class: `row ${kind}` },
      h("div", { class: "label" }, h("span", null, name), h("span", null, sum ?? this.hours(planned, ran))),
      prices.length > 0 && this.price(prices),
      h(
        "svg",
        { class: "bar", role: "img", "aria-label": sum ? `${name} · ${sum}` : this.says(name, planned, ran) },
        h("rect", { class: "whole", width: "100%", height: high, rx: 4 }),
        planned.map((span) => h("rect", { class: "planned", ...this.place(span), y: 0, height: high, rx: 4 })),
        ran.filter(({ level }) => level > 0).map((run) => h("rect", { class: "ran", ...this.place(run), y: kind === "doses" ? 1 : 5, height: kind === "doses" ? 10 : high - 10, "fill-opacity": (0.35 + 0.65 * run.level).toFixed(2) })),
        ran.filter(({ held }) => held).map((run) => h("rect", { class: "by-hand", ...this.place(run), y: 3, height: high - 6, rx: 3 })),
        HOURS.slice(1, -1).map((hour) => h("line", { class: "grid", x1: this.share(this.at(hour)), x2: this.share(this.at(hour)), y1: 0, y2: high })),
        h("line", { class: "now", x1: now, x2: now, y1: 0, y2: high }),
      ),
    );
  }

  /** @param {(Span & { value: number })[]} prices A thin line, the dearest hours on top. */
  price(prices) {
    const values = prices.map(({ value }) => value);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const points = prices.flatMap(({ from, to, value }) => [from, to].map((at) => `${parseFloat(this.share(at))},${(15 - (14 * (value - least)) / (most - least || 1)).toFixed(1)}`));
    return h("svg", { key: "price", class: "price", viewBox: "0 0 100 16", preserveAspectRatio: "none", role: "img", "aria-label": this.text.prices }, h("polyline", { points: points.join(" ") }));
  }

  /** @param {Span[]} planned @param {Run[]} ran How long of how long. */
  hours(planned, ran) {
    const done = total(ran.filter(({ level }) => level > 0));
    const wanted = total(planned);
    const text = duration(this.hass, done);
    return wanted ? fill(this.text.of, { done: text, planned: duration(this.hass, wanted) }) : text;
  }

  /** @param {string} name @param {Span[]} planned @param {Run[]} ran The same in words. */
  says(name, planned, ran) {
    const list = (/** @type {Span[]} */ spans) => spans.map(({ from, to }) => `${clock(this.hass, from)}–${clock(this.hass, to)}`).join(", ") || "–";
    const on = ran.filter(({ level }) => level > 0);
    const held = ran.filter((run) => run.held);
    const parts = [`${this.text.planned}: ${list(planned)}`, `${this.text.ran}: ${list(on)}`, held.length && `${this.text.by_hand}: ${list(held)}`];
    return `${name}. ${parts.filter(Boolean).join("; ")}`;
  }

  /** @param {number} hour */
  at(hour) {
    return hourOfDay(this.day.from + 1, zoneOf(this.hass), hour);
  }

  /** @param {Pool} pool What the pump moved and took. */
  sum(pool) {
    const turnovers = pool.one("sensor", "turnovers_today");
    const energy = pool.one("sensor", "pump_energy");
    const used = energy && this.past?.[energy.id] ? rises(this.past[energy.id]).reduce((sum, { by }) => sum + by, 0) : NaN;
    return [
      turnovers && known(turnovers.state) && fill(this.text.turnovers, { number: number(this.hass, pool.numbered(turnovers), 1) }),
      energy && Number.isFinite(used) && pool.text(energy, String(Math.round(used * 10) / 10)),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** @param {Row[]} rows */
  legend(rows) {
    const sample = (/** @type {string} */ kind) => h("svg", { "aria-hidden": "true" }, h("rect", { class: kind, x: 1, y: 1, width: 14, height: 10, rx: 2 }));
    const held = rows.some(({ ran }) => ran.some((run) => run.held));
    return h(
      "div",
      { class: "legend" },
      h("span", null, sample("planned"), this.text.planned),
      h("span", null, sample("ran"), this.text.ran),
      held && h("span", { key: "held" }, sample("by-hand"), capital(this.hass, this.text.by_hand)),
    );
  }
}

const place = (/** @type {Row} */ { kind }) => PoolDay.contents.indexOf(kind);

/** Whether there is anything to see. @type {(row: Row) => boolean} */
const happened = ({ ran }) => total(ran) >= MINUTE;
