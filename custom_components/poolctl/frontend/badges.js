// Badges: what an owner looks for first. Some are seen only while they have something to say.

import { NOTHING, above, is, isNot, when } from "./cards.js";

const badge = (entity, more) => ({
  type: "entity",
  entity: entity.id,
  name: entity.shown,
  ...more,
});

const plain = (entity) => badge(entity);

const named = (entity) => badge(entity, { show_name: true });

const problem = (entity) =>
  when(
    badge(entity, { show_name: true, show_state: false, color: "red" }),
    is(entity, "on"),
  );

/** The pump with its speed while it runs, else that it does not. */
const pump = (entity, pool) => {
  const [speed] = pool.find("sensor", /^pump_speed$/);
  return speed
    ? [
        when(badge(speed, { icon: "mdi:pump", color: "primary" }), is(entity, "on")),
        when(badge(entity), isNot(entity, "on")),
      ]
    : badge(entity);
};

const next = (entity, { text }) =>
  when(
    badge(entity, {
      name: text.next,
      show_name: true,
      state_content: ["message", "start_time"],
    }),
    is(entity, "off"),
  );

/** Green as long as the controller answers and tells of no problem. */
const fine = (entity, pool) =>
  when(
    badge(entity, {
      name: pool.text.fine,
      icon: "mdi:check-circle",
      color: "green",
      show_name: true,
      show_state: false,
    }),
    isNot(entity, ...NOTHING, "lost"),
    ...pool.find("binary_sensor", /^problem$/).map((each) => isNot(each, "on")),
  );

/** How the controller is reached, unless it is as it should be. */
const connection = (entity) =>
  when(
    badge(entity, { state_content: ["state", "last_changed"], color: "orange" }),
    isNot(entity, "lan"),
  );

const held = (entity) =>
  when(
    badge(entity, { show_name: true, color: "orange" }),
    above(entity, 0),
  );

const running = (entity) =>
  when(badge(entity, { show_name: true }), isNot(entity, ...NOTHING, "none"));

// The same rows as in sections.js.
const BADGES = [
  ["binary_sensor", /^problem$/, problem],
  ["sensor", /^connection$/, fine],
  ["sensor", /^connection$/, connection],
  ["sensor", /^water_temperature$/, plain],
  ["sensor", /^ph$/, named],
  ["sensor", /^orp$/, named],
  ["switch", /^pump$/, pump],
  ["sensor", /^running_schedule$/, running],
  ["calendar", /^schedules$/, next],
  ["sensor", /^held_outputs$/, held],
];

/** Return the badges of a controller. */
export const badges = (pool) =>
  BADGES.flatMap(([domain, pattern, make]) =>
    pool.find(domain, pattern).flatMap((entity) => make(entity, pool)),
  );
