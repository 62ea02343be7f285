// The views of the dashboard: our own cards first, Home Assistant's cards for the rest. What
// comes and goes with a state does so by a condition of its card, so that it goes on after a
// person has taken control.

/** @typedef {import("./pool.js").Entity} Entity */
/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {Record<string, any>} Card */

import { OF_PART } from "./pool.js";

const FULL = { columns: 12 };
const LOST = ["lost", "unavailable", "unknown"];

/** @type {(kind: string, pool: Pool) => Card} */
const own = (kind, pool) => ({ type: `custom:poolctl-${kind}-card`, device_id: pool.id });

/** @type {(entity: Entity, more?: Card) => Card} */
const tile = (entity, more) => ({ type: "tile", entity: entity.id, name: { type: "entity" }, color: "primary", ...more });

/** @type {(entity: Entity, ...features: Card[]) => Card} */
const wide = (entity, ...features) => tile(entity, { features, grid_options: FULL });

/** The same card, but only while its state says something. @type {(card: Card) => Card} */
const whileKnown = (card) => ({ ...card, visibility: [{ condition: "state", entity: card.entity, state_not: LOST }] });

/** What is used first comes first on a phone; beside each other, both columns are about as high. */
/** @type {(pool: Pool) => Card[][]} */
const columns = (pool) => [
  [own("pool", pool), own("water", pool), own("outputs", pool), ...lightCards(pool), ...heatCards(pool)],
  [own("day", pool), ...pumpCards(pool), ...(pool.one("sensor", "acid_remaining", "chlorine_remaining") ?? pool.one("button", "filter_cleaned") ? [own("drums", pool)] : [])],
];

/** @type {(pool: Pool) => Card[]} */
const pumpCards = (pool) => [
  ...pool.all("number", "pump_speed").map((entity) => wide(entity, { type: "custom:poolctl-speed", device_id: pool.id })),
  ...paired(pool, pool.all("sensor", "pump_power", "flow_rate")),
];

/** Shows and colours, while a light is on. @type {(pool: Pool) => Card[]} */
const lightCards = (pool) => {
  const on = pool.all("light").map(({ id }) => ({ condition: "state", entity: id, state: "on" }));
  const shows = pool.all("light").filter(({ state }) => state?.attributes.effect_list?.length);
  return [
    ...shows.map((entity) => ({ ...wide(entity, { type: "light-effect" }), visibility: [{ condition: "state", entity: entity.id, state: "on" }] })),
    ...pool.all("button").filter(({ key, category }) => category === null && key.startsWith("light_")).map((entity) => ({ ...wide(entity), visibility: [{ condition: "or", conditions: on }] })),
  ];
};

/** @type {(pool: Pool) => Card[]} */
const heatCards = (pool) => [
  ...pool.all("climate").map((entity) => ({
    ...wide(entity, { type: "target-temperature" }),
    name: pool.named(entity, OF_PART),
    color: undefined,
    state_content: ["hvac_action", "current_temperature"],
    // The cloud does not report targets, and cannot set them.
    ...(pool.connection && { visibility: [{ condition: "state", entity: pool.connection.id, state_not: "cloud" }] }),
  })),
  ...[...pool.all("datetime"), ...pool.all("sensor", "pool_warm_at", "spa_warm_at")].map((entity) =>
    whileKnown(tile(entity, { name: pool.named(entity, OF_PART), grid_options: FULL })),
  ),
];

/** Two tiles share a row if half of it has room for their names. @type {(pool: Pool, entities: Entity[]) => Card[]} */
const paired = (pool, entities) => {
  const narrow = entities.length === 2 && entities.every((entity) => pool.named(entity).length <= 12);
  const tiles = entities.map((entity) => whileKnown(tile(entity, { grid_options: FULL })));
  // In a stack, one that is alone has the whole row.
  return narrow ? [{ type: "horizontal-stack", cards: tiles, grid_options: FULL }] : tiles;
};

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

/** A button that opens another view. @type {(entity: Entity, name: string, icon: string, path: string) => Card} */
function page(entity, name, icon, path) {
  const action = { action: "navigate", navigation_path: path };
  return { ...tile(entity), name, icon, hide_state: true, tap_action: action, icon_tap_action: action, grid_options: { columns: 6 } };
}

/** @type {(sections: Card[], columns?: number) => Card} */
const view = (sections, columns = 2) => ({ type: "sections", max_columns: columns, sections });

// What is set once: which entities share a card, by key or domain.
/** @type {[string, string, (entity: Entity) => boolean][]} */
const GROUPS = [
  ["schedules", "mdi:calendar-clock", ({ key }) => key.startsWith("schedule")],
  ["chemistry", "mdi:flask", ({ key, category }) => category === "config" && /acid|chlorin|desired|ph_dosing/.test(key)],
  ["lights", "mdi:lightbulb-group", ({ key, category }) => category === "config" && key.includes("light")],
  ["equipment", "mdi:tune-variant", ({ category }) => category === "config"],
];

/** @type {(pool: Pool, entity: Entity) => Card[]} */
function rowsOf(pool, entity) {
  const row = { entity: entity.id, name: pool.named(entity) };
  const plain = { ...row, type: "simple-entity" };
  if (entity.domain !== "switch" || !pool.connection) {
    // Where a control leaves no room for the name, a tap opens it.
    return [["datetime", "number", "time", "select"].includes(entity.domain) ? plain : row];
  }
  // Where a state is only assumed, a switch would be two buttons.
  const only = (/** @type {Card} */ condition, /** @type {Card} */ shown) => ({ type: "conditional", conditions: [{ entity: pool.connection?.id, ...condition }], row: shown });
  return [only({ state_not: "cloud" }, row), only({ state: "cloud" }, plain)];
}

/** @type {(pool: Pool, text: Words) => Card} */
export function settings(pool, text) {
  const rest = [...pool.entities].sort((one, other) => pool.named(one).localeCompare(pool.named(other), pool.hass.language, { numeric: true }));
  const calendars = pool.all("calendar", "schedules").map(({ id }) => ({ type: "calendar", entities: [id], initial_view: "listWeek", grid_options: { columns: 12, rows: 6 } }));
  const groups = GROUPS.map(([word, icon, belongs]) => {
    const mine = rest.filter(belongs);
    mine.forEach((entity) => rest.splice(rest.indexOf(entity), 1));
    const rows = mine.filter(({ domain }) => domain !== "calendar").flatMap((entity) => rowsOf(pool, entity));
    const list = { type: "entities", entities: rows, show_header_toggle: false, state_color: false, grid_options: FULL };
    // A tile has room for the longest types of lights.
    const lists = word === "lights" ? mine.map((entity) => wide(entity)) : rows.length ? [list] : [];
    const cards = [...(word === "schedules" ? calendars : []), ...lists];
    return cards.length ? [{ type: "heading", heading: text[word], icon }, ...cards] : [];
  });
  const columns = [...groups.slice(0, 2), groups.slice(2).flat()].filter((cards) => cards.length);
  return view(columns.map((cards) => ({ type: "grid", cards })), 3);
}

// A row: the keys of sensors, the days that are shown, how, and under which name.
/** @type {[string[], number, Card, (text: Words, label: string, key: string) => string][]} */
const GRAPHS = [
  [["ph", "orp", "water_temperature"], 30, { stat_types: ["min", "mean", "max"] }, (text, label) => `${label} · ${text.month}`],
  [["pump_energy"], 14, { stat_types: ["change"], chart_type: "bar" }, (text, label) => `${label} · ${text.fortnight}`],
  [["acid_used_today", "chlorine_used_today"], 14, { stat_types: ["change"], chart_type: "bar" }, (text, _, key) => `${text[key.replace("_today", "")]} · ${text.fortnight}`],
];

/** @type {(pool: Pool, text: Words) => Promise<Card>} */
export async function history(pool, text) {
  const made = await Promise.all(
    GRAPHS.map(async ([keys, days, look, title]) => {
      const sensors = await recorded(pool, pool.all("sensor", ...keys), days);
      return sensors.map((entity) => ({
        type: "statistics-graph",
        title: title(text, pool.named(entity), entity.key),
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

/** Return those of which the recorder has two days, at least. @type {(pool: Pool, entities: Entity[], days: number) => Promise<Entity[]>} */
async function recorded(pool, entities, days) {
  if (!entities.length || !pool.hass.config.components.includes("history")) {
    return [];
  }
  const start = new Date(Date.now() - days * 86_400_000).toISOString();
  const points = await pool.hass
    .callWS({ type: "recorder/statistics_during_period", start_time: start, statistic_ids: entities.map(({ id }) => id), period: "day", types: ["mean", "change"] })
    .catch(() => ({}));
  return entities.filter(({ id }) => points[id]?.length > 1);
}
