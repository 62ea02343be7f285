// What cards say is true at that moment, also where something is unknown, disabled or in another language.

import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "../../custom_components/poolctl/frontend/words.js";
import { texts } from "./texts.mjs";

globalThis.HTMLElement = class {
  isConnected = false;
  attachShadow = () => ({ activeElement: null });
};
globalThis.customElements = { whenDefined: async () => {} };
const FRONTEND = "../../custom_components/poolctl/frontend";
const [{ PoolHeadline }, { PoolWater }, { PoolOutputs }, { PoolDrums }, { PoolDay }, { Pool }] = await Promise.all(
  ["card-pool", "card-water", "card-outputs", "card-drums", "card-day", "pool"].map((name) => import(`${FRONTEND}/${name}.js`)),
);

for (const language of ["en", "de", "pt-BR"]) {
  await load(language, texts);
}

const AT = "2026-11-28T01:45:00+00:00";
const STATUS = ["sensor.status", "all_well", {}];
const CONNECTION = ["sensor.connection", "lan", {}];
const NAMES = { "switch.spa_mode": "Mode", "switch.automatic_ph": "Automatic pH", "switch.automatic_chlorination": "Automatic chlorination", "switch.pump": "Pump" };

/** A home whose names are English; an entity is its ID, of which the end is its key, its state and its attributes. */
const home = (entities, { language = "en", hidden = [] } = {}) => ({
  language,
  locale: { language, time_zone: "server", time_format: "24", number_format: "language" },
  config: { language: "en", time_zone: "UTC", components: [], unit_system: { temperature: "°C" } },
  devices: { pool: { id: "pool", name: "Pool" } },
  entities: Object.fromEntries(
    entities.map(([entity_id]) => [entity_id, { entity_id, translation_key: entity_id.split(".")[1], platform: "poolctl", device_id: "pool", hidden: hidden.includes(entity_id) }]),
  ),
  states: Object.fromEntries(entities.map(([entity_id, state, attributes]) => [entity_id, { entity_id, state, attributes, last_changed: AT, last_updated: AT }])),
  formatEntityState: ({ state, attributes }, value = state) => [value[0].toUpperCase() + value.slice(1), attributes.unit_of_measurement].filter(Boolean).join(" "),
  formatEntityName: ({ entity_id }) => NAMES[entity_id] ?? entity_id,
  callWS: async () => ({ runs: [] }),
});

const written = (tree) => [tree].flat(9).map((each) => (typeof each === "object" && each ? written(each.children) : each || "")).filter(Boolean).join(" ");

/** What a card says, and its pool. */
const drawn = (Card, entities, more) => {
  const card = new Card();
  card.hassNow = home(entities, more);
  card.pool = new Pool(card.hassNow, "pool");
  // Nothing shows what it draws.
  card.show = () => {};
  return { card, pool: card.pool, says: written(card.draw(card.pool)) };
};

test("a spa whose temperature is not measured yet has none", () => {
  const spa = (now) => [STATUS, CONNECTION, ["switch.spa_mode", "on", {}], ["climate.spa_heating", "heat", { current_temperature: now, temperature: 36 }]];
  assert.match(drawn(PoolHeadline, spa(null)).says, /Spa – → 36 °C/);
  assert.match(drawn(PoolHeadline, spa(undefined)).says, /Spa – → 36 °C/);
  assert.match(drawn(PoolHeadline, spa(28)).says, /Spa 28 → 36 °C/);
  assert.match(drawn(PoolHeadline, spa(36.5)).says, /Spa 36\.5 °C/);
});

test("spa mode has its name in the language of the page, whatever that of the home is", () => {
  for (const [language, name] of [["en", "Spa mode"], ["de", "Spa-Betrieb"], ["pt-BR", "Modo spa"]]) {
    const { says } = drawn(PoolOutputs, [STATUS, CONNECTION, ["switch.spa_mode", "on", {}]], { language });
    assert.ok(says.includes(name), says);
  }
});

test("a status that is hidden is still the status; one that is disabled is named", () => {
  const dry = { problems: [{ key: "dry_run", severity: "problem", sentence: "The pump is running dry." }] };
  const entities = [["sensor.status", "problem", dry], CONNECTION];
  assert.match(drawn(PoolHeadline, entities, { hidden: ["sensor.status", "sensor.connection"] }).says, /running dry/);
  const disabled = drawn(PoolHeadline, [CONNECTION, ["sensor.ph", "7.4", { good_from: 7, good_to: 7.8 }]]);
  assert.match(disabled.says, /Status disabled/);
  assert.doesNotMatch(disabled.says, /No data yet/);
  assert.equal(disabled.pool.rate(disabled.pool.one("sensor", "ph"), "ph_out_of_range"), "none");
});

test("nothing is good where the way to the controller is disabled", () => {
  const { pool } = drawn(PoolHeadline, [STATUS]);
  assert.equal(pool.rate(undefined, "acid_low"), "none");
});

test("nothing is good before the status is known", () => {
  const { pool } = drawn(PoolHeadline, [["sensor.status", "unknown", {}], CONNECTION]);
  assert.equal(pool.rate(undefined, "acid_low"), "none");
});

test("only what is paused is called paused", () => {
  const paused = ["off", { paused_until: AT, reasons: [["why_dose_paused", { time: AT }]] }];
  const says = (ph, chlorine) => drawn(PoolDrums, [STATUS, CONNECTION, ["switch.automatic_ph", ...ph], ["switch.automatic_chlorination", ...chlorine]]).says;
  assert.match(says(paused, paused), /Dosing is paused until .*01:45/);
  assert.doesNotMatch(says(paused, paused), /Automatic/);
  assert.match(says(["on", {}], paused), /Automatic chlorination: Dosing is paused/);
  assert.doesNotMatch(says(["on", {}], paused), /Automatic pH/);
  const over = ["off", { paused_until: AT, reasons: [["why_dose_pause_over", {}]] }];
  assert.match(says(over, over), /has not resumed yet/);
  assert.doesNotMatch(says(["on", { paused_until: AT }], ["on", {}]), /paused until/);
});

test("what is left in a drum is not written as long as it is unknown, nor is its size", () => {
  const { says } = drawn(PoolDrums, [STATUS, CONNECTION, ["sensor.acid_remaining", "unknown", {}], ["number.acid_drum_size", "unknown", {}]]);
  assert.doesNotMatch(says, /unknown/i);
  assert.match(says, /–/);
});

test("a last temperature has the unit of the home", () => {
  const last = { last_temperature: 26.4, unit_of_measurement: "°F", measured_at: "2026-01-05T18:40:00+00:00" };
  const water = [STATUS, CONNECTION, ["sensor.water_temperature", "unknown", last]];
  assert.match(drawn(PoolWater, water).says, /26\.4 +°C/);
  assert.match(drawn(PoolHeadline, water).says, /26\.4°/);
  assert.doesNotMatch(drawn(PoolHeadline, [STATUS, CONNECTION, ["sensor.water_temperature", "unknown", {}]]).says, /unknown/i);
});

test("a menu that stays open offers what is possible then", () => {
  const held = { held_by_hand: true, mode: "manual" };
  const { card, pool } = drawn(PoolOutputs, [STATUS, CONNECTION, ["switch.pump", "on", held]]);
  const labels = (now) => card.asked(now).groups.flatMap(({ answers }) => answers.map(({ label }) => label));
  card.offer(pool.one("switch", "pump"));
  assert.ok(labels(pool).includes("Give back now"));
  assert.ok(!labels(drawn(PoolOutputs, [STATUS, CONNECTION, ["switch.pump", "on", {}]]).pool).includes("Give back now"));
  assert.equal(card.asked(drawn(PoolOutputs, [STATUS, CONNECTION]).pool), undefined);
});

test("a hold until a time ends at that time, however long the menu was open", (context) => {
  const now = Date.parse("2026-11-28T12:00:00Z");
  const [start, end] = [now - 3_600_000, now + 3_600_000].map((at) => new Date(at).toISOString());
  context.mock.timers.enable({ apis: ["Date"], now });
  const { card, pool } = drawn(PoolOutputs, [STATUS, CONNECTION, ["switch.pump", "on", { mode: "schedule", schedule: "Filter" }]]);
  card.plan = [{ entity_id: "switch.pump", name: "Filter", start, end }];
  const held = [];
  card.perform = (action, id, data) => held.push([action, data.duration.seconds]);
  const [until] = card.keep(pool.one("switch", "pump"), true).filter(({ label }) => label.includes("13:00"));
  context.mock.timers.setTime(now + 600_000);
  until.run();
  assert.deepEqual(held, [["poolctl.hold", 3000]]);
});

test("a row and its menu have the same end, whatever its seconds are", () => {
  const held = { held_by_hand: true, held_until: "2026-11-28T01:44:56+00:00", reasons: [["why_until", { time: AT }]] };
  const { pool, card, says } = drawn(PoolOutputs, [STATUS, CONNECTION, ["switch.pump", "on", held]]);
  card.offer(pool.one("switch", "pump"));
  assert.match(says, /until .*01:45/);
  assert.match(card.asked(pool).text, /01:45/);
});

test("a pump that runs on to cool the heater is not off", () => {
  const pump = (status) => drawn(PoolOutputs, [STATUS, CONNECTION, ["switch.pump", "off", {}], ["sensor.pump_status", status, {}]]).says;
  assert.match(pump("cooling_down"), /Pump Cooling_down/);
  assert.match(pump("off"), /Pump Off/);
});

test("an action is labelled in the language of the page", () => {
  const problems = [{ key: "sign_in_needed", severity: "problem", sentence: "You are signed out.", action: { key: "sign_in", label: "Sign in", url: "/config" } }];
  assert.match(drawn(PoolHeadline, [["sensor.status", "problem", { problems }], CONNECTION], { language: "de" }).says, /Anmelden/);
});

test("a plan that could not be read is asked for again", async () => {
  const { card, pool } = drawn(PoolOutputs, [STATUS, CONNECTION, ["switch.pump", "on", {}]]);
  const answers = [() => Promise.reject(new Error("lost")), async () => ({ runs: [{ entity_id: "switch.pump", name: "Filter", start: "", end: "" }] })];
  card.hassNow.callWS = () => answers.shift()();
  await card.askPlan(pool);
  assert.deepEqual(card.plan, []);
  await card.askPlan(pool);
  assert.equal(card.plan.length, 1);
});

const GOOD = { good_from: 7, good_to: 7.8 };
const FULL = [
  ["sensor.status", "problem", { pump_until: AT, next_run: AT, next_schedule: "Evening", problems: [{ key: "dry_run", severity: "problem", sentence: "It runs dry.", next_step: "Stop it.", since: AT, action: { key: "stop_pump", label: "Stop", entity_id: "switch.pump", perform_action: "switch.turn_off" } }] }],
  CONNECTION,
  ["sensor.water_temperature", "27.4", { unit_of_measurement: "°C", measured_at: AT }],
  ["sensor.air_temperature", "17", { unit_of_measurement: "°C" }],
  ["sensor.ph", "7.4", GOOD],
  ["sensor.orp", "650", { good_from: 550, good_to: 800, unit_of_measurement: "mV" }],
  ["sensor.pump_status", "running", { ends: AT }],
  ["sensor.pump_power", "90", { unit_of_measurement: "W" }],
  ["sensor.pump_speed", "40", { unit_of_measurement: "%" }],
  ["sensor.pump_energy", "12", { unit_of_measurement: "kWh" }],
  ["sensor.turnovers_today", "0.2", {}],
  ["number.pump_target_speed", "40", { min: 40, max: 100, step: 5, unit_of_measurement: "%" }],
  ["switch.pump", "on", { mode: "manual", held_by_hand: true, held_until: AT, reasons: [["why_on_by_us", { time: AT }]] }],
  ["switch.spa_mode", "on", { mode: "schedule", schedule: "Spa" }],
  ["light.pool_light", "off", {}],
  ["climate.pool_heating", "heat", { current_temperature: 27, temperature: 28 }],
  ["climate.spa_heating", "heat", { current_temperature: 30, temperature: 36, last_temperature: 30, measured_at: AT }],
  ["sensor.spa_expected_warm_time", AT, {}],
  ["sensor.acid_remaining", "3", { unit_of_measurement: "L" }],
  ["number.acid_drum_size", "20", { unit_of_measurement: "L" }],
  ["sensor.acid_lasts_until", "2026-12-05", {}],
  ["button.mark_acid_drum_full", AT, {}],
  ["sensor.filter_load", "20", { unit_of_measurement: "%" }],
  ["number.filter_limit", "50", { unit_of_measurement: "%" }],
  ["button.mark_filter_clean", AT, {}],
  ["button.resume_schedules", AT, {}],
  ["switch.automatic_ph", "off", { paused_until: AT, reasons: [["why_dose_paused", { time: AT }]] }],
];
const CHANGES = {
  missing: () => [],
  unknown: ([id, , attributes]) => [[id, "unknown", attributes]],
  bare: ([id, state]) => [[id, state, {}]],
  unmeasured: ([id, state, attributes]) => [[id, state, { ...attributes, ...("current_temperature" in attributes && { current_temperature: null, temperature: null }) }]],
  unavailable: ([id]) => [[id, "unavailable", {}]],
};

test("whatever is missing, no card shows what only a program understands", () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    for (const changed of FULL) {
      for (const way of ["lan", "cloud", "lost"]) {
        const entities = FULL.flatMap((each) => (each === changed ? change(each) : each === CONNECTION ? [[each[0], way, way === "lost" ? { last_answer: AT } : {}]] : [each]));
        for (const Card of [PoolHeadline, PoolWater, PoolOutputs, PoolDrums, PoolDay]) {
          const { card, pool, says } = drawn(Card, entities);
          const asked = (card.offer ? pool.outputs : []).map((entity) => (card.offer(entity), JSON.stringify(card.asked(pool))));
          assert.doesNotMatch([says, ...asked].join(" "), /undefined|NaN|\bnull\b|Invalid|\[object|\{\w+\}|1970/, `${Card.name}, ${way}: ${changed[0]} is ${name}`);
        }
      }
    }
  }
});
