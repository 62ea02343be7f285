// The condition of the water: each reading with its scale and its last day, and the time of all.

import { PoolCard } from "./card.js";
import { h } from "./dom.js";
import { DAY, HOUR, ends, moment } from "./format.js";
import { goodRange, known } from "./pool.js";
import { fill } from "./words.js";

const AIR = "air_temperature";
const WIDTH = 160;
const HIGH = 36;
/** How much a line shows at least, in the unit of the entity, where there is no good range. */
const LEAST = 4;

/** @typedef {import("./pool.js").Entity} Entity */
/** @typedef {import("./pool.js").Pool} Pool */

/** A range with half of it more on both sides. @type {(range: [number, number]) => [number, number]} */
const around = ([low, high]) => [low - (high - low) / 2, high + (high - low) / 2];

/** Keys of the problems that rate a reading. @type {(entity: Entity) => string[]} */
const ratedBy = ({ key }) => (key === AIR ? [] : [`${key}_out_of_range`, "stale_readings"]);

export class PoolWater extends PoolCard {
  static contents = ["water_temperature", "ph", "orp", "air_temperature"];
  static style = `
    .readings { display: grid; grid-template-columns: repeat(auto-fit, minmax(max(110px, 40%), 1fr)); gap: 12px 16px; }
    .reading { display: flex; flex-direction: column; min-width: 0; text-align: start; }
    .value { font-size: 28px; font-weight: 500; line-height: 36px; }
    .value small { line-height: 1; font-size: 16px; font-weight: 400; color: var(--secondary-text-color); }
    .aged .value { color: var(--secondary-text-color); }
    svg { display: block; width: 100%; overflow: visible; }
    .line { height: 36px; margin: 4px 0; }
    .line rect { fill: var(--rate); fill-opacity: 0.18; }
    .line polyline { fill: none; stroke: var(--primary-text-color); stroke-opacity: 0.6; stroke-width: 2; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
    .scale { height: 24px; }
    .scale .all { fill: var(--primary-text-color); fill-opacity: 0.12; }
    .scale .range { fill: var(--disabled-text-color, #9e9e9e); }
    .good .scale .range { fill: var(--success-color, #43a047); }
    .scale .at { fill: var(--rate); stroke: var(--card-background-color, #fff); stroke-width: 2; }
    .ends { display: flex; justify-content: space-between; margin: 0 calc(25% - 14px); font-size: 12px; line-height: 16px; color: var(--secondary-text-color); }
    .own { font-size: 12px; line-height: 16px; }
    .age { margin-top: 12px; }
    .age.fair { color: var(--primary-text-color); }
    .age.fair::before { content: ""; display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-inline-end: 6px; background: var(--rate); }
  `;

  /** @type {Record<string, import("./pool.js").Point[]>} */
  past = {};
  pastOf = "";

  /** @param {Pool} pool */
  readings(pool) {
    return pool.all("sensor", "water_temperature", "air_temperature", "ph", "orp").filter(({ key }) => this.shows(key));
  }

  /** @param {Pool} pool */
  async changed(pool) {
    const past = [this.gaps, Math.floor(Date.now() / HOUR)].join();
    if (this.pastOf !== past) {
      this.pastOf = past;
      this.past = await pool.statistics(this.readings(pool), Date.now() - DAY, "hour");
      this.show();
    }
  }

  /** @param {Pool} pool */
  draw(pool) {
    const readings = this.readings(pool);
    const times = readings.filter((entity) => entity.key !== AIR && Number.isFinite(this.reads(pool, entity))).map((entity) => this.measuredAt(pool, entity));
    // One time for all, if none of the water is measured now; otherwise each that is older has its own.
    const at = times.every(Number.isFinite) ? Math.min(...times) : Infinity;
    const old = Date.now() - at > DAY;
    return [
      h("h2", null, this.text.water),
      h("div", { class: "readings" }, readings.map((entity) => this.reading(pool, entity, at))),
      h("p", { key: "age", class: `soft age ${old ? "fair" : ""}`, role: "status" }, this.age(pool, readings, at)),
    ];
  }

  /** @param {Pool} pool @param {Entity} entity The reading, or the last one while the cloud has none. */
  reads(pool, entity) {
    return known(entity.state) ? pool.numbered(entity) : Number(entity.state.attributes.last_temperature ?? NaN);
  }

  /** @param {Pool} pool @param {Entity} entity When it was measured last; Infinity for now. */
  measuredAt(pool, { key, state }) {
    // Without flow, what is measured may not be the pool's water; the air is measured then, too.
    const doubt = key !== AIR && pool.problems.find((problem) => problem.key === "dry_run");
    const times = [state.attributes.measured_at, doubt && doubt.since].map((at) => Date.parse(at || "")).filter(Number.isFinite);
    return Math.min(...times, pool.lost ? pool.answeredAt : Infinity);
  }

  /** @param {Pool} pool @param {Entity[]} readings @param {number} at The time of all readings, in words. */
  age(pool, readings, at) {
    if (!readings.some((entity) => Number.isFinite(this.reads(pool, entity)))) {
      return this.text.no_reading;
    }
    if (Number.isFinite(at)) {
      return this.when(at);
    }
    return pool.throughCloud ? this.text.via_cloud : this.text.now;
  }

  /** @param {number} at */
  when(at) {
    return fill(this.text.aged, { time: moment(this.hass, at) });
  }

  /** @param {Pool} pool @param {Entity} entity @param {number} common The time that the card has for all. */
  reading(pool, entity, common) {
    const value = this.reads(pool, entity);
    const found = pool.rate(entity, ...ratedBy(entity));
    const at = this.measuredAt(pool, entity);
    const fresh = !Number.isFinite(at) && !pool.throughCloud;
    const rate = Number.isFinite(value) && (fresh || found !== "good") ? found : "none";
    return h(
      "button",
      { key: entity.id, class: `reading ${rate} ${fresh ? "" : "aged"}`, onclick: () => this.more(entity.id) },
      h("span", { class: "soft" }, pool.named(entity)),
      goodRange(entity) && h("span", { class: "heard" }, this.text[`rate_${rate}`]),
      Number.isFinite(at) && !Number.isFinite(common) && h("span", { key: "at", class: "own soft" }, this.when(at)),
      h("span", { class: "value" }, this.parts(pool, entity, value)),
      this.line(entity, value),
      this.scale(entity, value),
    );
  }

  /** @param {Pool} pool @param {Entity} entity @param {number} value The number, and smaller its unit. */
  parts(pool, entity, value) {
    if (!Number.isFinite(value)) {
      return "–";
    }
    const [figure, ...unit] = pool.reading(entity).split(/\s(?=\D*$)/);
    return [figure, unit.length > 0 && h("small", null, ` ${unit.join(" ")}`)];
  }

  /** @param {Entity} entity @param {number} value The last day as a line. */
  line(entity, value) {
    const points = (this.past[entity.id] ?? []).filter(({ mean }) => mean !== null).map(({ start, mean }) => [start, Number(mean)]);
    if (Number.isFinite(value)) {
      points.push([Date.now(), value]);
    }
    if (points.length < 3) {
      return null;
    }
    const from = Date.now() - DAY;
    const values = points.map(([, y]) => y);
    const range = goodRange(entity);
    const middle = (Math.min(...values) + Math.max(...values)) / 2;
    // The range takes half of the height, so that a small change looks small.
    const [bottom, top] = range ? around(range) : [middle - LEAST / 2, middle + LEAST / 2];
    const [least, most] = [Math.min(bottom, ...values), Math.max(top, ...values)];
    const [low = 0, high = 0] = range ?? [];
    const height = (/** @type {number} */ y) => HIGH - 1 - ((y - least) / (most - least)) * (HIGH - 2);
    const at = points.map(([x, y]) => `${(((x - from) / DAY) * WIDTH).toFixed(1)},${height(y).toFixed(1)}`);
    return h(
      "svg",
      { key: "line", class: "line", viewBox: `0 0 ${WIDTH} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      range && h("rect", { x: 0, y: height(high).toFixed(1), width: WIDTH, height: (height(low) - height(high)).toFixed(1) }),
      h("polyline", { points: at.join(" ") }),
    );
  }

  /** @param {Entity} entity @param {number} value The good range, and where the value is. */
  scale(entity, value) {
    const range = goodRange(entity);
    if (!range) {
      return null;
    }
    const [from, to] = around(range);
    const share = `${(Math.min(Math.max((value - from) / (to - from), 0.03), 0.97) * 100).toFixed(1)}%`;
    return h(
      "span",
      { key: "scale" },
      h(
        "svg",
        { class: "scale", "aria-hidden": "true" },
        h("rect", { class: "all", x: 0, y: 8, width: "100%", height: 8, rx: 4 }),
        h("rect", { class: "range", x: "25%", y: 8, width: "50%", height: 8 }),
        Number.isFinite(value) && h("circle", { class: "at", cx: share, cy: 12, r: 8 }),
      ),
      h("span", { class: "ends" }, ends(this.hass, range).map((end) => h("span", null, end))),
    );
  }
}
