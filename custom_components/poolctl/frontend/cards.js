// Cards of Home Assistant's own, for one entity each.

// The name of the entity alone: its part is the title of the section. Only what the spa
// has stands among the same of the pool.
const nameOf = (entity) =>
  entity.key.startsWith("spa") && entity.domain !== "select"
    ? [{ type: "device" }, { type: "entity" }]
    : { type: "entity" };

const GOOD = "var(--success-color)";
const FAIR = "var(--warning-color)";
const POOR = "var(--error-color)";

const FULL = { columns: 12 };

const tileWith = (entity, more) => ({
  type: "tile",
  entity: entity.id,
  name: nameOf(entity),
  ...more,
});

export const tile = (entity) => tileWith(entity);

export const wide = (...features) => (entity) =>
  tileWith(entity, { features, grid_options: FULL });

export const trend = (entity, pool) =>
  pool.loaded("history")
    ? tileWith(entity, { features: [{ type: "trend-graph" }] })
    : tile(entity);

/** A number with minus and plus beside its name. */
export const stepper = (entity) =>
  tileWith(entity, {
    features: [{ type: "numeric-input", style: "buttons" }],
    features_position: "inline",
    hide_state: true,
    grid_options: FULL,
  });

/** Something done once, by a tap. */
export const press = (entity) => pressWith(entity);

/** The same after a question, because it cannot be undone. */
export const pressAsked = (entity) => pressWith(entity, { confirmation: true });

/** The same with room for a long name. */
export const pressWide = (entity) => ({ ...pressWith(entity), grid_options: FULL });

const pressWith = (entity, more) => {
  const action = {
    action: "perform-action",
    perform_action: "button.press",
    target: { entity_id: entity.id },
    ...more,
  };
  return tileWith(entity, {
    hide_state: true,
    tap_action: action,
    icon_tap_action: action,
  });
};

/** Shown only while it is on, or while there is a time at which it ends. */
export const whileOn = (entity) =>
  tileWith(entity, {
    visibility: [{ condition: "state", entity: entity.id, state: "on" }],
  });
export const whileRunning = (entity) =>
  tileWith(entity, {
    visibility: [
      {
        condition: "state",
        entity: entity.id,
        state_not: ["unknown", "unavailable"],
      },
    ],
  });

/** A needle over ranges of what is poor, fair, good, fair and poor again. */
const gauge = (min, low, good, high, max, end) => (entity) => ({
  type: "gauge",
  entity: entity.id,
  name: nameOf(entity),
  needle: true,
  min,
  max: end,
  segments: [
    { from: min, color: POOR },
    { from: low, color: FAIR },
    { from: good, color: GOOD },
    { from: high, color: FAIR },
    { from: max, color: POOR },
  ],
  grid_options: { columns: 6 },
});

// Chosen: what is usually recommended for private pools.
export const phGauge = gauge(6.6, 7, 7.2, 7.6, 7.8, 8.2);
export const orpGauge = gauge(450, 600, 650, 800, 850, 1000);

/** What is left of a drum, as a bar where the size of the drum is known. */
export const drum = (entity, pool) => {
  const size = pool
    .find("number", /drum/)
    .find(
      (number) =>
        number.key.split("_")[0] === entity.key.split("_")[0] &&
        number.attributes.unit_of_measurement ===
          entity.attributes.unit_of_measurement,
    );
  const max = Number(size?.state);
  return max > 0 ? wide({ type: "bar-gauge", min: 0, max })(entity) : tile(entity);
};

/** The speed as it is, unless there is a slider that shows it. */
export const speed = (entity, pool) =>
  pool.find("number", /^pump_speed$/).length ? null : tile(entity);

export const light = (entity) => {
  const shows = entity.attributes.effect_list?.length;
  return wide(...(shows ? [{ type: "light-effect" }] : []))(entity);
};

/** A dial; two of them share a row. */
export const thermostat = (entity, pool) => ({
  type: "thermostat",
  entity: entity.id,
  name: nameOf(entity),
  features: [{ type: "climate-hvac-modes" }],
  grid_options: { columns: pool.find("climate", /^/).length > 1 ? 6 : 12 },
});

export const calendar = (entity) => ({
  type: "calendar",
  entities: [entity.id],
  initial_view: "listWeek",
  grid_options: { columns: 12, rows: 6 },
});

const graph = (type, entities, more) => ({
  type,
  entities: entities.map((entity) => ({ entity: entity.id, name: nameOf(entity) })),
  grid_options: FULL,
  ...more,
});

export const lastDay = (entities) =>
  graph("history-graph", entities, { hours_to_show: 24 });

export const lastMonth = (entity) =>
  graph("statistics-graph", [entity], {
    days_to_show: 30,
    period: "day",
    stat_types: ["min", "mean", "max"],
  });

/** What was used on each day of a week. */
export const lastWeek = (entity) =>
  graph("statistics-graph", [entity], {
    days_to_show: 7,
    period: "day",
    stat_types: ["change"],
    chart_type: "bar",
  });
