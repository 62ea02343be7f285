// Graphs of the past. Each comes only once there is something to show.

import { FULL } from "./cards.js";

const DAY_MS = 24 * 60 * 60 * 1000;

// Measured values are drawn within what is usual, and beyond it only where they were.
const AXES = {
  ph: { min_y_axis: 6.8, max_y_axis: 8, fit_y_data: true },
  orp: { min_y_axis: 550, max_y_axis: 850, fit_y_data: true },
};

const CHEMISTRY = /^(ph|orp)$/;
const axesOf = ({ key, deviceClass }) => AXES[key] ?? AXES[deviceClass];

const lastDay = (pool, entities, title) => ({
  ...graph("history-graph", entities, title),
  hours_to_show: 24,
});

const overDays = (entity, title, more) => ({
  ...graph("statistics-graph", [entity], title),
  period: "day",
  hide_legend: true,
  ...more,
});

/** Bars of each day, under a name that is not that of today. */
const daily = (entity, label, span, days) =>
  overDays({ ...entity, shown: label }, `${label} · ${span}`, {
    days_to_show: days,
    stat_types: ["change"],
    chart_type: "bar",
    min_y_axis: 0,
  });

const graph = (type, entities, title) => ({
  type,
  title,
  entities: entities.map(({ id, shown }) => ({ entity: id, name: shown })),
  grid_options: FULL,
  ...axesOf(entities[0]),
});

const titled = ({ label }, span) => `${label} · ${span}`;

// A row: which sensors, the period and the days that must have been recorded, the graph.
const GRAPHS = [
  [
    CHEMISTRY,
    "hour",
    1,
    (entity, pool) => lastDay(pool, [entity], titled(entity, pool.text.day)),
  ],
  [
    CHEMISTRY,
    "day",
    30,
    (entity, pool) =>
      overDays(entity, titled(entity, pool.text.month), {
        days_to_show: 30,
        stat_types: ["min", "mean", "max"],
      }),
  ],
  [
    /^energy$/,
    "day",
    7,
    (entity, pool) => daily(entity, entity.label, pool.text.week, 7),
  ],
  [
    /^(acid|chlorine)_used_today$/,
    "day",
    14,
    (entity, { text }) =>
      daily(entity, text[entity.key.replace("_today", "")], text.fortnight, 14),
  ],
];

/** Return the graphs of pH, ORP, energy, and acid and chlorine used. */
export async function graphs(pool) {
  const made = await Promise.all(
    GRAPHS.map(async ([pattern, period, days, make]) =>
      (await recorded(pool, pool.find("sensor", pattern), period, days)).map((entity) =>
        make(entity, pool),
      ),
    ),
  );
  const all = made.flat();
  // Two share a row of this wide section; the odd one has it alone.
  return all.map((card, index) =>
    index === all.length - 1 && index % 2 === 0
      ? { ...card, grid_options: { columns: "full" } }
      : card,
  );
}

/** Return one graph for all that is measured in degrees. */
export async function temperatures(pool) {
  const keys = [/^water_temperature$/, /^ambient_temperature$/];
  const sensors = keys.flatMap((key) => pool.find("sensor", key));
  const shown = await recorded(pool, sensors, "hour", 1);
  return shown.length ? [lastDay(pool, shown, titled(shown[0], pool.text.day))] : [];
}

/** Return those entities of which the recorder has two points, at least. */
async function recorded(pool, entities, period, days) {
  if (!entities.length || !pool.loaded("history")) {
    return [];
  }
  const points = await pool.hass
    .callWS({
      type: "recorder/statistics_during_period",
      start_time: new Date(Date.now() - days * DAY_MS).toISOString(),
      statistic_ids: entities.map(({ id }) => id),
      period,
      types: ["mean", "change"],
    })
    .catch(() => ({}));
  return entities.filter(({ id }) => points[id]?.length > 1);
}
