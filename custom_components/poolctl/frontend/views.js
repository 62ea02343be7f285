// The views of the dashboard: our own cards first, Home Assistant's cards for the rest. What
// comes and goes with a state does so by a condition of its card, so that it goes on after a
// person has taken control.

/** @typedef {import("./pool.js").Entity} Entity */
/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {Record<string, any>} Card */

import { DAY, ends } from "./format.js";
import { OF_PART, goodRange } from "./pool.js";
import { fill } from "./words.js";

const FULL = { columns: 12 };
const LOST = ["lost", "unavailable", "unknown"];

/** @type {(kind: string, pool: Pool) => Card} */
const own = (kind, pool) => ({ type: `custom:poolctl-${kind}-card`, device_id: pool.id });

/** @type {(entity: Entity, more?: Card) => Card} */
const tile = (entity, more) => ({ type: "tile", entity: entity.id, name: { type: "entity" }, color: "primary", ...more });

/** @type {(entity: Entity, ...features: Card[]) => Card} */
const wide = (entity, ...features) => tile(entity, { features, grid_options: FULL });

/** What is used first comes first on a phone; beside each other, both columns are about as high. @type {(pool: Pool) => Card[][]} */
const columns = (pool) => [
  [own("pool", pool), own("day", pool), own("outputs", pool), ...lightCards(pool)],
  [own("water", pool), ...heatCards(pool), ...(pool.one("sensor", "acid_remaining", "chlorine_remaining") ?? pool.one("button", "mark_filter_clean") ? [own("drums", pool)] : [])],
];

/** Shows and colours, while their light is on. @type {(pool: Pool) => Card[]} */
const lightCards = (pool) => {
  const whileOn = (/** @type {string} */ light) => ({ visibility: [{ condition: "state", entity: light, state: "on" }] });
  const shows = pool.all("light").filter(({ state }) => state.attributes.effect_list?.length);
  const buttons = pool.all("button").filter(({ category, state }) => category === null && state.attributes.light);
  return [
    ...shows.map((entity) => ({ ...wide(entity, { type: "light-effect" }), ...whileOn(entity.id) })),
    ...buttons.map((entity) => ({ ...wide(entity), hide_state: true, ...whileOn(entity.state.attributes.light) })),
  ];
};

/** @type {(pool: Pool) => Card[]} */
const heatCards = (pool) =>
  pool.all("climate").map((entity) => ({
    ...wide(entity, { type: "target-temperature" }, { type: "custom:poolctl-why", device_id: pool.id, entity_id: entity.id }),
    name: pool.named(entity, OF_PART),
    color: undefined,
    state_content: ["hvac_action", "current_temperature"],
    grid_options: { ...FULL, rows: "auto" },
    // The cloud does not report targets, and cannot set them.
    ...(pool.connection && { visibility: [{ condition: "state", entity: pool.connection.id, state_not: "cloud" }] }),
  }));

/** @type {(pool: Pool, text: Words, base?: string) => Card} */
export function daily(pool, text, base) {
  const { connection, status } = pool;
  const here = connection ? [{ condition: "state", entity: connection.id, state_not: LOST }] : [];
  // Of a lost controller only the first card is left: it tells why, and the last readings.
  const shown = columns(pool).map((cards, column) =>
    cards.map((card, at) => (column || at ? { ...card, visibility: [...here, ...(card.visibility ?? [])] } : card)),
  );
  const pages = status && base ? PAGES.map(([word, icon]) => page(status, text[word], icon, `${base}-${word}`)) : [];
  shown[1].push(...pages);
  return view(shown.map((cards) => ({ type: "grid", cards })));
}

/** The subviews of a pool. @type {[string, string][]} */
export const PAGES = [["history", "mdi:chart-line"], ["settings", "mdi:cog"]];

/** A button that opens another page. @type {(entity: Entity, name: string, icon: string, path: string, columns?: number) => Card} */
function page(entity, name, icon, path, columns = 6) {
  const action = { action: "navigate", navigation_path: path };
  return { ...tile(entity), name, icon, hide_state: true, tap_action: action, icon_tap_action: action, grid_options: { columns } };
}

/** @type {(sections: Card[], columns?: number) => Card} */
const view = (sections, columns = 2) => ({ type: "sections", max_columns: columns, sections });

// What is set once: which entities share a card, by key or domain.
/** @type {[string, string, (entity: Entity) => boolean][]} */
const GROUPS = [
  ["schedules", "mdi:calendar-clock", ({ key }) => key.startsWith("schedule")],
  ["part_acid", "mdi:ph", ({ key, category }) => category === "config" && /acid|ph_target|automatic_ph/.test(key)],
  ["part_chlorine", "mdi:flask", ({ key, category }) => category === "config" && /chlorin/.test(key)],
  ["part_heating", "mdi:fire", ({ key, category }) => category === "config" && /heater|solar/.test(key)],
  ["part_lights", "mdi:lightbulb-group", ({ key, category }) => category === "config" && key.includes("light")],
  ["part_pump", "mdi:pump", ({ key, category }) => category === "config" && /pump|turnovers|volume|filter/.test(key)],
  ["equipment", "mdi:tune-variant", ({ category }) => category === "config"],
];

/** @type {(pool: Pool, entity: Entity) => Card[]} */
function rowsOf(pool, entity) {
  const row = { entity: entity.id, name: pool.named(entity) };
  const plain = { ...row, type: "simple-entity" };
  if (entity.domain !== "switch" || !pool.connection) {
    // Where a control leaves no room for the name, a tap opens it.
    return [entity.domain === "number" ? plain : row];
  }
  // Where a state is only assumed, a switch would be two buttons.
  const only = (/** @type {Card} */ condition, /** @type {Card} */ shown) => ({ type: "conditional", conditions: [{ entity: pool.connection?.id, ...condition }], row: shown });
  return [only({ state_not: "cloud" }, row), only({ state: "cloud" }, plain)];
}

/** @type {(pool: Pool, text: Words) => Card} */
export function settings(pool, text) {
  // What a button states is confirmed on the card that has it.
  const rest = pool.entities.filter(({ domain }) => domain !== "button").sort((one, other) => pool.named(one).localeCompare(pool.named(other), pool.hass.language, { numeric: true }));
  const adding = pool.all("calendar", "schedules").map((entity) => page(entity, text.add_schedule, "mdi:calendar-plus", "/calendar", 12));
  const groups = GROUPS.map(([word, icon, belongs]) => {
    const mine = rest.filter(belongs);
    mine.forEach((entity) => rest.splice(rest.indexOf(entity), 1));
    const schedules = mine.filter(({ key }) => key === "schedule").map((entity) => ({ ...wide(entity), state_content: ["next_run"] }));
    const rows = mine.filter(({ domain, key }) => !["calendar", "select"].includes(domain) && key !== "schedule").flatMap((entity) => rowsOf(pool, entity));
    const list = { type: "entities", entities: rows, show_header_toggle: false, state_color: false, grid_options: FULL };
    // A tile has room for long choices.
    const choices = mine.filter(({ domain }) => domain === "select").map((entity) => wide(entity));
    const cards = [...schedules, ...(word === "schedules" ? adding : []), ...(rows.length ? [list] : []), ...choices];
    return cards.length ? [{ type: "heading", heading: text[word], icon }, ...cards] : [];
  });
  const columns = [groups.slice(0, 1).flat(), groups.slice(1, 3).flat(), groups.slice(3).flat()].filter((cards) => cards.length);
  return view(columns.map((cards) => ({ type: "grid", cards })), 3);
}

// A row: the keys of sensors, the days that are shown, how, and the text of these days.
/** @type {[string[], number, Card, string][]} */
const GRAPHS = [
  [["ph", "orp", "water_temperature"], 30, { stat_types: ["min", "mean", "max"] }, "month"],
  [["pump_energy"], 14, { stat_types: ["change"], chart_type: "bar" }, "fortnight"],
  [["acid_used_today", "chlorine_used_today"], 14, { stat_types: ["change"], chart_type: "bar" }, "fortnight"],
];

/** @type {(pool: Pool, text: Words) => Promise<Card>} */
export async function history(pool, text) {
  const made = await Promise.all(
    GRAPHS.map(async ([keys, days, look, span]) => {
      const sensors = pool.all("sensor", ...keys);
      const past = pool.hass.config.components.includes("history") ? await pool.statistics(sensors, Date.now() - days * DAY, "day") : {};
      return sensors.filter(({ id }) => past[id]?.length > 1).map((entity) => ({
        type: "statistics-graph",
        ...titled(pool, entity, text, span),
        entities: [{ entity: entity.id, name: pool.named(entity) }],
        days_to_show: days,
        period: "day",
        hide_legend: true,
        grid_options: FULL,
        ...look,
      }));
    }),
  );
  const cards = made.flat();
  const none = { type: "markdown", content: text.no_history };
  return view((cards.length ? cards : [none]).map((card) => ({ type: "grid", cards: [card] })));
}

/** "pH · good 7.0–7.8 · last 30 days", which is at least what the axis shows. @type {(pool: Pool, entity: Entity, text: Words, span: string) => Card} */
function titled(pool, entity, text, span) {
  const [min_y_axis, max_y_axis] = goodRange(entity) ?? [];
  const [low, high] = ends(pool.hass, goodRange(entity) ?? []);
  const title = [text[entity.key] ?? pool.named(entity), low && fill(text.good, { low, high }), text[span]].filter(Boolean).join(" · ");
  return low ? { title, min_y_axis, max_y_axis, fit_y_data: true } : { title };
}
