// Cards of Home Assistant's own, for one entity each. What comes and goes with a state
// does so by a condition of the card: it goes on after a person has taken control.

const GOOD = "var(--success-color)";
const FAIR = "var(--warning-color)";
const POOR = "var(--error-color)";

export const FULL = { columns: 12 };
const HALF = { columns: 6 };

const NO_ACTION = { action: "none" };

// What a state says when nothing is known.
export const NOTHING = ["unknown", "unavailable"];

/** The same card, shown only under conditions. */
export const when = (card, ...conditions) =>
  card && { ...card, visibility: conditions.filter(Boolean) };

export const is = (entity, ...state) =>
  entity && { condition: "state", entity: entity.id, state };
export const isNot = (entity, ...state) =>
  entity && { condition: "state", entity: entity.id, state_not: state };
export const above = (entity, value) => ({
  condition: "numeric_state",
  entity: entity.id,
  above: value,
});
const not = (condition) => ({ condition: "not", conditions: [condition] });

const throughCloud = (pool) => is(pool.connection, "cloud");
const throughLan = (pool) => isNot(pool.connection, "cloud");

const tileWith = (entity, more) => ({
  type: "tile",
  entity: entity.id,
  name: entity.shown,
  ...more,
});

const whole = (entity, more) => tileWith(entity, { ...more, grid_options: FULL });

export const tile = (entity) => (entity.narrow ? tileWith(entity) : whole(entity));

export const wide = (...features) => (entity) => whole(entity, { features });

export const trend = (entity, pool) =>
  pool.loaded("history")
    ? tileWith(entity, { features: [{ type: "trend-graph" }] })
    : tile(entity);

/** A number with minus and plus beside its name. */
export const stepper = (entity) =>
  whole(entity, {
    features: [{ type: "numeric-input", style: "buttons" }],
    features_position: "inline",
    hide_state: true,
  });

/** Something done once, by a tap. */
export const press = (entity) => pressWith(entity);

/** The same after a question, because it cannot be undone. */
export const pressAsked = (entity) => pressWith(entity, { confirmation: true });

const pressWith = (entity, more) => {
  const action = {
    action: "perform-action",
    perform_action: "button.press",
    target: { entity_id: entity.id },
    ...more,
  };
  return {
    ...tile(entity),
    hide_state: true,
    tap_action: action,
    // The whole tile is the button: its icon would be a second one, without a name.
    icon_tap_action: NO_ACTION,
  };
};

/** Shown only while it is on, or while there is something to tell. */
export const whileOn = (entity) => when(whole(entity), is(entity, "on"));
export const whileKnown = (entity) => when(whole(entity), isNot(entity, ...NOTHING));

// Attributes that say when the state of an output ends by itself.
const ENDS = ["timer_ends", "held_until"];

/** The same card, and below its row when a timer or a hold ends, while there is one. */
export const withEnds = (card) => (entity, pool) => [
  card(entity, pool),
  ENDS.map((attribute) => end(entity, attribute, pool)),
].flat(2);

const end = (entity, attribute, { hass }) => {
  const state = hass.states[entity.id];
  const text = state && hass.formatEntityAttributeName(state, attribute);
  return (
    state &&
    when(
      whole(entity, {
        name: [entity.shown, { type: "text", text }].flat(),
        state_content: attribute,
        tap_action: { action: "more-info" },
        icon_tap_action: NO_ACTION,
      }),
      { ...isNot(entity, ...NOTHING), attribute },
    )
  );
};

/** Tell whether a card stands below the row of the one before it. */
export const standsBelow = (card) => ENDS.includes(card.state_content);

/** What is held by hand, while anything is. */
export const held = (entity) =>
  when(whole(entity, { state_content: ["state", "outputs"] }), above(entity, 0));

/** How the controller is reached, and since when. */
export const since = (entity) =>
  whole(entity, { state_content: ["state", "last_changed"] });

/** What cannot be done through the cloud is only seen there. */
export const onLan = (card) => (entity, pool) => {
  const made = card(entity, pool);
  const seen = tileWith(entity, {
    name: [entity.shown, { type: "text", text: pool.text.readOnly }].flat(),
    tap_action: NO_ACTION,
    icon_tap_action: NO_ACTION,
    grid_options: made.grid_options,
  });
  return [when(made, throughLan(pool)), pool.connection && when(seen, throughCloud(pool))];
};

/** What has no state is not there at all. */
export const onLanOnly = (card) => (entity, pool) =>
  when({ ...card(entity, pool), grid_options: FULL }, throughLan(pool));

/** A needle over ranges of what is poor, fair, good, fair and poor again. */
const gauge = (min, max, fair, good, usual, desired) => (entity, pool) => {
  const target = desired(pool) ?? usual;
  const columns = pool.find("sensor", /^(ph|orp)$/).length > 1 ? HALF : FULL;
  const measured = above(entity, 0);
  const card = {
    type: "gauge",
    entity: entity.id,
    name: entity.shown,
    needle: true,
    min,
    max,
    segments: [
      { from: min, color: POOR },
      { from: target - fair, color: FAIR },
      { from: target - good, color: GOOD },
      { from: target + good, color: FAIR },
      { from: target + fair, color: POOR },
    ].map(({ from, color }) => ({ from: Number(from.toFixed(2)), color })),
    grid_options: columns,
  };
  return [
    when(card, measured),
    when(tileWith(entity, { grid_options: columns }), not(measured)),
  ];
};

/** Return what this pool is to have, where it is known; of two the first that doses. */
const desiredOf = (pattern) => (pool) =>
  pool
    .find("number", pattern)
    .map((number) => Number(number.state))
    .find((value) => value > 0);

// Chosen: what is usually recommended for private pools, around what this one is to have.
export const phGauge = gauge(6.4, 8.4, 0.4, 0.2, 7.4, desiredOf(/^desired_ph$/));
export const orpGauge = gauge(450, 950, 100, 50, 700, desiredOf(/^desired_orp/));

/** What is left of a drum, as a share of its size, and how long it lasts. */
export const drum = (entity, pool) => {
  const of = entity.key.split("_")[0];
  const [size] = pool.find("number", new RegExp(`^${of}_drum$`));
  const [low] = pool.find("binary_sensor", new RegExp(`^${of}_low$`));
  const left = size
    ? wide({ type: "custom:poolctl-drum", size: size.id, low: low?.id })(entity)
    : tile(entity);
  const lasts = pool.take("sensor", new RegExp(`^${of}_lasts_until$`), null);
  return [left, ...lasts.map(whileKnown)];
};

/** A schedule is on or off, and below it are the times that it begins and ends at. */
export const schedule = (entity, pool) => {
  const id = entity.id.split(".")[1];
  const times = [
    ["start", pool.text.begins],
    ["end", pool.text.ends],
  ].flatMap(([which, name]) =>
    pool
      .take("time", new RegExp(`^schedule_${which}$`), entity.category, `time.${id}_${which}`)
      .map((time) => tileWith(time, { name })),
  );
  return [times.length ? whole(entity) : tile(entity), ...times];
};

/** The speed as it is, unless there is a slider that shows it. */
export const speed = (entity, pool) =>
  pool.find("number", /^pump_speed$/).length ? null : tile(entity);

/** Shows are chosen through the LAN only; on and off go through the cloud, too. */
export const light = (entity, pool) => {
  if (!entity.attributes.effect_list?.length) {
    return whole(entity);
  }
  return [
    when(wide({ type: "light-effect" })(entity), throughLan(pool)),
    pool.connection && when(whole(entity), throughCloud(pool)),
  ];
};

/** A dial; two of them share a row. */
export const thermostat = (entity, pool) => ({
  type: "thermostat",
  entity: entity.id,
  name: entity.shown,
  features: [{ type: "climate-hvac-modes" }],
  grid_options: pool.find("climate", /^/).length > 1 ? HALF : FULL,
});

export const calendar = (entity) => ({
  type: "calendar",
  entities: [entity.id],
  initial_view: "listWeek",
  grid_options: { columns: 12, rows: 6 },
});

/** Say above all cards what a person has to know before anything else: what is wrong, why, and since when. */
export const notes = (pool) => {
  if (!pool.connection) return [];
  const lost = is(pool.connection, ...NOTHING, "lost");
  return [
    when(note(pool.text.lost), lost),
    when(note(pool.text.cloud), throughCloud(pool)),
    ...why(pool, /^local_network$/, isNot(pool.connection, "lan")),
    ...why(pool, /^cloud_service$/, lost),
  ];
};

const why = (pool, key, condition) =>
  pool.find("sensor", key).map((entity) => when(since(entity), condition));

const note = (content) => ({ type: "markdown", content, grid_options: FULL });
