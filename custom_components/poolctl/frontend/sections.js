// Which entity goes where. The sections are filled in this order, and the first row that
// fits takes an entity; what no row expects ends up in the last ones of each view.

import {
  FULL,
  calendar,
  drum,
  held,
  light,
  notes,
  onLan,
  onLanOnly,
  orpGauge,
  phGauge,
  press,
  pressAsked,
  schedule,
  since,
  speed,
  standsBelow,
  stepper,
  thermostat,
  tile,
  trend,
  whileKnown,
  whileOn,
  wide,
  withEnds,
} from "./cards.js";
import { graphs, temperatures } from "./graphs.js";

const ALL = /^/;

// What is for finding faults is left out, except where a row says so.
const DIAGNOSTIC = "diagnostic";

const choice = wide({ type: "select-options" });

const spaOrHeating = (pool) => (pool.find("switch", /^spa_mode$/).length ? "spa" : "heating");

// A row: the domain, what the key or the device class looks like, the card.
const DAILY = [
  {
    word: "water",
    icon: "mdi:pool-thermometer",
    notes,
    rows: [
      ["sensor", /^ph$/, phGauge],
      ["sensor", /^orp$/, orpGauge],
      ["sensor", /^water_temperature$/, tile],
      ["sensor", /^ambient_temperature$/, tile],
      ["binary_sensor", /chemistry|reading/, tile],
    ],
    after: temperatures,
  },
  {
    word: "pump",
    icon: "mdi:pump",
    rows: [
      ["switch", /^pump$/, withEnds(wide({ type: "toggle" }))],
      ["number", /^pump_speed$/, wide({ type: "numeric-input", style: "slider" })],
      ["sensor", /^pump_speed$/, speed],
      ["sensor", /^pump_power$/, trend],
      ["sensor", /^flow_rate$/, trend],
      ["sensor", /^pump_.*remaining$/, whileKnown, DIAGNOSTIC],
      ["sensor", /^pump_|pressure$|^energy$|^running|^water_filtered|^turnovers/, tile],
      ["sensor", /^filter_load$/, tile],
      ["button", /^filter_cleaned$/, pressAsked],
      ["binary_sensor", /^pump_/, whileOn],
      ["binary_sensor", /^flow$/, tile],
      ["binary_sensor", /^filter_/, whileOn],
    ],
  },
  {
    word: "heating",
    title: spaOrHeating,
    icon: "mdi:heat-wave",
    rows: [
      ["climate", ALL, onLan(thermostat)],
      ["switch", /^spa_mode$/, withEnds(tile)],
      ["binary_sensor", /heat|solar/, tile],
    ],
  },
  {
    word: "lights",
    icon: "mdi:lightbulb-group",
    rows: [
      ["light", ALL, withEnds(light)],
      ["button", /light|show|colou?r/, onLanOnly(press)],
    ],
  },
  {
    word: "outputs",
    icon: "mdi:electric-switch",
    rows: [
      ["switch", ALL, withEnds(tile)],
      ["select", ALL, choice],
      ["number", ALL, stepper],
      ["sensor", /^held_outputs$/, held],
      ["button", /^resume/, onLanOnly(press)],
    ],
  },
  {
    word: "chemistry",
    icon: "mdi:flask",
    rows: [
      ["sensor", /_remaining$/, drum],
      ["button", /refill/, pressAsked],
      ["sensor", /dos(e|ing)|_used_today$/, tile],
      ["binary_sensor", /dosing/, tile],
      ["event", /dose/, whileKnown],
    ],
  },
  {
    word: "status",
    icon: "mdi:list-status",
    rows: [
      ["sensor", /^connection$/, since, DIAGNOSTIC],
      ["binary_sensor", /^problem$/, tile],
      ["binary_sensor", ALL, tile],
      ["event", ALL, whileKnown],
      ["update", ALL, tile],
      ["sensor", ALL, tile],
      ["button", ALL, press],
    ],
  },
  {
    word: "schedules",
    icon: "mdi:calendar-clock",
    rows: [["calendar", ALL, calendar]],
  },
  { word: "history", icon: "mdi:chart-line", rows: [], after: graphs, column_span: 2 },
];

// What is set once.
const CONFIG = "config";
const SETTINGS = [
  {
    word: "water",
    icon: "mdi:pool-thermometer",
    rows: [["number", /^volume$/, tile, CONFIG]],
  },
  {
    word: "pump",
    icon: "mdi:pump",
    rows: [["number", /^filter_limit$/, stepper, CONFIG]],
  },
  {
    word: "heating",
    title: spaOrHeating,
    icon: "mdi:heat-wave",
    rows: [["switch", /heat|solar/, onLan(wide()), CONFIG]],
  },
  {
    word: "schedules",
    icon: "mdi:calendar-clock",
    rows: [
      ["switch", /schedule/, schedule, CONFIG],
      ["time", /^schedule_/, tile, CONFIG],
    ],
  },
  {
    word: "chemistry",
    icon: "mdi:flask",
    rows: [
      ["number", /^desired_/, stepper, CONFIG],
      ["switch", /dos(e|ing)|chlorin/, tile, CONFIG],
      ["number", /drum|low_level/, stepper, CONFIG],
    ],
  },
  {
    word: "lights",
    icon: "mdi:lightbulb-group",
    rows: [
      ["select", /light/, onLan(choice), CONFIG],
      ["button", /light/, onLanOnly(press), CONFIG],
    ],
  },
  {
    word: "equipment",
    icon: "mdi:tune-variant",
    rows: [
      ["switch", ALL, tile, CONFIG],
      ["number", ALL, stepper, CONFIG],
      ["select", ALL, choice, CONFIG],
      ["time", ALL, tile, CONFIG],
      ["button", ALL, press, CONFIG],
    ],
  },
];

export const VIEWS = { daily: DAILY, settings: SETTINGS };

/** Return the cards of each section of a view that has anything to show. */
export async function parts(pool, view) {
  const made = await Promise.all(
    VIEWS[view].map(async (part) => ({ ...part, cards: await cardsOf(pool, part) })),
  );
  return made.filter(({ cards }) => cards.length);
}

// Sections are as high as the highest beside them: what is low stands below another.
const LOW = 7;
const HIGH = 14;

/** Return the same as sections of a view. */
export async function sections(pool, view) {
  const made = [];
  let height = HIGH;
  for (const { cards, column_span } of await parts(pool, view)) {
    const more = heightOf(cards);
    if (height < LOW && height + more <= HIGH && !column_span) {
      made.at(-1).cards.push(...cards);
      height += more;
    } else {
      made.push({ type: "grid", cards, ...(column_span && { column_span }) });
      height = more;
    }
  }
  return made;
}

const ROWS = { gauge: 3, thermostat: 6, calendar: 6, "history-graph": 5 };

/** Return about how many rows the cards take that are usually there. */
const heightOf = (cards) =>
  cards
    .filter(({ visibility, features, type }) => !visibility || features || ROWS[type])
    .reduce((sum, { type, features, features_position, grid_options }) => {
      const rows = ROWS[type] ?? (features && features_position !== "inline" ? 2 : 1);
      const half = grid_options?.columns === 6 || (type === "tile" && !grid_options);
      return sum + (half ? rows / 2 : rows);
    }, 0);

async function cardsOf(pool, { word, title, icon, notes, rows, after }) {
  const cards = rows.flatMap(([domain, pattern, card, category = null]) =>
    pool.take(domain, pattern, category).flatMap((entity) => card(entity, pool)),
  );
  const made = [...paired(cards.filter(Boolean)), ...((await after?.(pool)) ?? [])];
  const heading = { type: "heading", heading: pool.text[title?.(pool) ?? word], icon };
  return made.length ? [heading, ...(notes?.(pool) ?? []), ...made] : [];
}

/**
 * Return the cards so that no tile stands beside nothing: the odd one takes the row. What
 * stands below a card stands below its row.
 */
function paired(cards) {
  const made = [];
  const below = [];
  let waiting;
  const endRow = () => {
    if (waiting) {
      waiting.grid_options = FULL;
    }
    waiting = undefined;
    made.push(...below.splice(0));
  };
  for (const card of cards) {
    if (standsBelow(card)) {
      below.push(card);
      continue;
    }
    const half = card.type === "tile" && !card.grid_options;
    if (half && waiting && !waiting.features === !card.features) {
      waiting = undefined;
    } else {
      endRow();
      waiting = half ? card : undefined;
    }
    made.push(card);
  }
  endRow();
  return made;
}
