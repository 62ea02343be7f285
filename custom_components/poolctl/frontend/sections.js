// Which entity goes where. The sections are filled in this order, and the first row that
// fits takes an entity; what no row expects ends up in the last two.

import {
  calendar,
  drum,
  lastDay,
  lastMonth,
  lastWeek,
  light,
  orpGauge,
  phGauge,
  press,
  pressAsked,
  pressWide,
  speed,
  stepper,
  thermostat,
  tile,
  trend,
  whileOn,
  whileRunning,
  wide,
} from "./cards.js";

const ALL = /^/;

// What is for setting up or for finding faults is left out, except where a row says so.
const ANY = { categories: true };

// A row: the domain, what the key or the device class looks like, the card.
const SECTIONS = [
  {
    word: "water",
    icon: "mdi:pool-thermometer",
    rows: [
      ["sensor", /^ph$/, phGauge],
      ["sensor", /^orp$/, orpGauge],
      ["sensor", /^water_temperature$/, tile],
      ["sensor", /^ambient_temperature$/, tile],
      ["binary_sensor", /chemistry|reading/, tile],
    ],
    graph: (pool) => today(pool, pool.find("sensor", /^(water|ambient)_temperature$/)),
  },
  {
    word: "pump",
    icon: "mdi:pump",
    rows: [
      ["switch", /^pump$/, wide({ type: "toggle" })],
      ["number", /^pump_speed$/, wide({ type: "numeric-input", style: "slider" })],
      ["sensor", /^pump_speed$/, speed],
      ["sensor", /^pump_power$/, trend],
      ["sensor", /^flow_rate$/, trend],
      ["sensor", /^pump_.*remaining$/, whileRunning, ANY],
      ["sensor", /^pump_|pressure$|^energy$|hours/, tile],
      ["binary_sensor", /^pump_/, whileOn],
      ["binary_sensor", /^flow$/, tile],
    ],
  },
  {
    word: "heating",
    icon: "mdi:heat-wave",
    rows: [
      ["climate", ALL, thermostat],
      ["switch", /heat|solar|spa_mode/, tile, ANY],
      ["binary_sensor", /heat|solar/, tile],
    ],
  },
  {
    word: "lights",
    icon: "mdi:lightbulb-group",
    rows: [
      ["light", ALL, light],
      ["button", /light|show|colou?r/, pressWide],
    ],
  },
  {
    word: "chemistry",
    icon: "mdi:flask",
    rows: [
      ["sensor", /_remaining$/, drum],
      ["button", /refill/, pressAsked],
      ["sensor", /dos(e|ing)/, tile],
      ["binary_sensor", /dosing/, tile],
      ["number", /^desired_/, stepper, ANY],
      ["switch", /dos(e|ing)|chlorin/, tile, ANY],
    ],
  },
  {
    word: "schedules",
    icon: "mdi:calendar-clock",
    rows: [
      ["calendar", ALL, calendar],
      ["sensor", /schedule/, tile],
      ["button", /schedule/, press],
      ["switch", /schedule/, tile, ANY],
    ],
  },
  {
    word: "equipment",
    icon: "mdi:tune-variant",
    rows: [
      ["switch", ALL, tile],
      ["select", ALL, wide({ type: "select-options" })],
      ["number", ALL, stepper],
    ],
  },
  {
    word: "status",
    icon: "mdi:list-status",
    rows: [
      ["binary_sensor", /^problem$/, tile, ANY],
      ["sensor", /^connection$/, tile, ANY],
      ["binary_sensor", ALL, tile],
      ["event", ALL, tile],
      ["update", ALL, tile],
      ["sensor", ALL, tile],
      ["button", ALL, press],
    ],
  },
];

const CHEMISTRY = [/^ph$/, /^orp$/];

/** Return the sections of a controller that have anything to show. */
export function sections(pool, text) {
  const made = SECTIONS.map(({ word, icon, rows, graph }) =>
    section(text[word], icon, [
      ...rows.flatMap(([domain, pattern, card, options]) =>
        pool.take(domain, pattern, options).map((entity) => card(entity, pool)),
      ),
      graph?.(pool),
    ]),
  );
  const past = section(text.history, "mdi:chart-line", history(pool));
  made.push({ ...past, column_span: 2 });
  return made.filter((each) => each.cards.length > 1);
}

const section = (heading, icon, cards) => ({
  type: "grid",
  cards: [{ type: "heading", heading, icon }, ...cards.filter(Boolean)],
});

/** One graph for what is measured in the same unit. */
const today = (pool, entities) =>
  pool.loaded("history") && entities.length && lastDay(entities);

function history(pool) {
  const chemistry = CHEMISTRY.flatMap((pattern) => pool.find("sensor", pattern));
  const recorded = pool.loaded("recorder");
  return [
    ...chemistry.map((entity) => today(pool, [entity])),
    ...(recorded ? chemistry.map(lastMonth) : []),
    ...(recorded ? pool.find("sensor", /^energy$/).map(lastWeek) : []),
  ];
}

/** Return badges that are seen only while something is wrong. */
export function problems(pool) {
  return pool.find("binary_sensor", /^problem$/).map((entity) => ({
    type: "entity",
    entity: entity.id,
    name: { type: "entity" },
    show_name: true,
    color: "red",
    visibility: [{ condition: "state", entity: entity.id, state: "on" }],
  }));
}
