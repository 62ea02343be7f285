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
globalThis.document = { hidden: false };
const FRONTEND = "../../custom_components/poolctl/frontend";
const [{ PoolHeadline }, { PoolWater }, { PoolOutputs }, { PoolDrums }, { PoolDay }, { PoolWhy }, { Pool, picture }] = await Promise.all(
  ["card-pool", "card-water", "card-outputs", "card-drums", "card-day", "why", "pool"].map((name) => import(`${FRONTEND}/${name}.js`)),
);

const LANGUAGES = ["en", "cs", "de", "es", "fr", "it", "nl", "pt-BR", "sv"];
for (const language of LANGUAGES) {
  await load(language, texts);
}

const AT = "2026-11-28T01:45:00+00:00";
const STATUS = ["sensor.status", "all_well", {}];
const CONNECTION = ["sensor.connection", "lan", {}];
const NAMES = { "switch.automatic_ph": "Automatic pH", "switch.automatic_chlorination": "Automatic chlorination", "switch.pump": "Pump" };

const TRANSLATED = { de: { mark_acid_drum_full: "Säurekanister als voll melden" } };

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
  localize: (key) => TRANSLATED[language]?.[key.split(".")[4]],
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
  assert.match(drawn(PoolHeadline, spa(null)).says, /Spa → 36 °C/);
  assert.match(drawn(PoolHeadline, spa(undefined)).says, /Spa → 36 °C/);
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
  assert.match(says(["on", {}], paused), /Automatic chlorination · Dosing is paused/);
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

test("an empty drum does not last", () => {
  const says = (litres) => drawn(PoolDrums, [STATUS, CONNECTION, ["sensor.acid_remaining", litres, { unit_of_measurement: "L" }], ["sensor.acid_lasts_until", "2099-01-01", {}]]).says;
  assert.match(says("0"), /Empty/);
  assert.doesNotMatch(says("0"), /lasts/i);
  assert.match(says("0.5"), /lasts/i);
});

test("a pool that is not polled is not said to be silent", () => {
  const lost = { last_answer: AT };
  for (const [state, expected] of [["unavailable", /Last seen.*polling is switched off/], ["unknown", /Last seen.*not reading it/], ["lost", /No answer.*Check its power/]]) {
    const { says } = drawn(PoolHeadline, [["sensor.connection", state, lost]]);
    assert.match(says, expected);
    assert.equal(/does not answer/.test(says), state === "lost");
  }
});

test("a value in a sentence is not parted from its unit", () => {
  const wrong = (values) => drawn(PoolHeadline, [["sensor.status", "notice", { problems: [{ key: "pool_warm_late", variant: "pool_warm_late", severity: "notice", values }] }], CONNECTION]).says;
  assert.match(wrong({ time: AT, expected: "28 °C", target: "30 °C" }), /about 28\u00a0°C instead of 30\u00a0°C/);
  assert.match(wrong({ time: AT, expected: "83 °F", target: "Spa pump" }), /83\u00a0°F instead of Spa pump/);
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
  card.plan = [{ entity_id: "switch.pump", name: "Filter", start, end, until: end }];
  const held = [];
  card.perform = (action, id, data) => held.push([action, data.duration.seconds]);
  const [until] = card.keep(pool.one("switch", "pump"), true).filter(({ label }) => label === "Until its schedule ends");
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
  ["climate.spa_heating", "heat", { current_temperature: 30, temperature: 36, last_temperature: 30, measured_at: AT, expected_warm_time: AT }],
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

test("a card names the pool, or the content, that there is not", () => {
  const complaint = (Card, config, entities = [STATUS, CONNECTION]) => {
    const card = new Card();
    card.hassNow = home(entities);
    card.config = { type: "", ...config };
    return written(card.complaint(picture(card.hassNow, config.device_id)) ?? "");
  };
  assert.match(complaint(PoolWater, { device_id: "gone" }), /device_id: gone was not found/);
  assert.match(complaint(PoolHeadline, { device_id: "gone" }, []), /No pool controller is set up/);
  assert.match(complaint(PoolWater, { show: ["ph", "pH2"] }), /show: pH2 was not found/);
  assert.match(complaint(PoolDay, { show: ["punp"] }), /punp/);
  assert.equal(complaint(PoolWater, { show: ["ph"] }), "");
});

test("an entity that has no state yet is not shown, least of all by its ID", () => {
  const hass = home([STATUS, CONNECTION, ["switch.pump", "on", {}], ["light.pool_light", "on", {}]]);
  delete hass.states["light.pool_light"];
  const card = new PoolOutputs();
  card.hassNow = hass;
  assert.doesNotMatch(written(card.draw(new Pool(hass, "pool"))), /light/);
});

test("all cards share one picture of an update, and read the registry once", () => {
  const hass = home([STATUS, CONNECTION]);
  let read = 0;
  hass.entities = new Proxy(hass.entities, { ownKeys: (all) => ((read += 1), Reflect.ownKeys(all)) });
  const first = picture(hass, "pool");
  assert.equal(picture(hass, "pool"), first);
  const next = { ...hass };
  assert.notEqual(picture(next, "pool"), first);
  assert.equal(read, 1);
});

test("readings that are not measured now have a sentence in each language", () => {
  const dry = ["sensor.ph", "7.4", { good_from: 7, good_to: 7.8, measured_at: "2026-01-05T18:40:00+00:00" }];
  for (const language of LANGUAGES) {
    const { says } = drawn(PoolWater, [STATUS, CONNECTION, dry], { language });
    assert.match(says, /\p{L}{2,} [^()]*18:40/u, says);
    assert.doesNotMatch(says, /\(.*18:40.*\)/, says);
  }
  const silent = [STATUS, ["sensor.connection", "unavailable", {}]];
  assert.doesNotMatch(drawn(PoolHeadline, silent, { language: "de" }).says, /\(/);
});

test("a screen reader hears how a reading and a drum are rated", () => {
  const water = (ph) => drawn(PoolWater, [STATUS, CONNECTION, ["sensor.ph", ph, { good_from: 7, good_to: 7.8 }]]).says;
  assert.match(water("7.4"), /\bGood\b/);
  assert.match(water("8.2"), /Not quite good/);
  const { card, pool } = drawn(PoolDrums, [STATUS, CONNECTION, ["sensor.acid_remaining", "3", { unit_of_measurement: "L" }]]);
  assert.match(JSON.stringify(card.draw(pool)), /3 L, Good/);
});

test("a problem whose next step is known already has more than its time", () => {
  const problems = [{ key: "held_off", severity: "problem", sentence: "The pump is off.", since: AT }];
  const { card, pool } = drawn(PoolHeadline, [["sensor.status", "problem", { problems }], CONNECTION]);
  card.open = true;
  assert.match(written(card.draw(pool)[4]), /The pump is off\. Since/);
});

test("the headline names what heats", () => {
  const heats = (hvac_action, spa = "off") =>
    drawn(PoolHeadline, [STATUS, CONNECTION, ["switch.spa_mode", spa, {}], ["climate.spa_heating", "heat", { hvac_action, temperature: 36 }], ["climate.pool_heating", "heat", { hvac_action, temperature: 28 }]]).says;
  assert.match(heats("heating"), /Heating to 28 °C/i);
  assert.doesNotMatch(heats("idle"), /heating/i);
  assert.doesNotMatch(heats("heating", "on"), /heating to 36/i);
});

test("what a person states of a drum is behind a tap, in the language of the page", () => {
  const acid = [["sensor.acid_remaining", "3", { unit_of_measurement: "L" }], ["number.acid_drum_size", "20", { unit_of_measurement: "L" }], ["button.mark_acid_drum_full", AT, {}]];
  const { card, pool, says } = drawn(PoolDrums, [STATUS, CONNECTION, ...acid], { language: "de" });
  assert.doesNotMatch(says, /mark|melden/i);
  card.confirming(pool, pool.one("button", "mark_acid_drum_full")).props.onclick();
  assert.equal(card.asked(pool).title, "Säurekanister als voll melden");
  assert.match(card.asked(pool).text, /20 L/);
});

test("a filter has no drum before its load is known", () => {
  const says = (...more) => drawn(PoolDrums, [STATUS, CONNECTION, ["button.mark_filter_clean", AT, {}], ...more]).says;
  assert.match(says(), /Filter · Measured from the first cleaning/);
  assert.match(says(["sensor.filter_load", "unknown", {}]), /Filter · Measuring/);
  assert.doesNotMatch(says() + says(["sensor.filter_load", "unknown", {}]), /–/);
  assert.match(says(["sensor.filter_load", "20", { unit_of_measurement: "%" }]), /20 %/);
});

test("the named speeds of a pump are buttons", () => {
  const speed = ["number.pump_target_speed", "70", { min: 40, max: 100, step: 5, unit_of_measurement: "%" }];
  const { card, pool } = drawn(PoolOutputs, [STATUS, CONNECTION, ["switch.pump", "on", { speeds: { low: 40, medium: 70, high: 100 } }], speed]);
  const sent = [];
  card.perform = (...all) => sent.push(all);
  const buttons = card.presets(pool, pool.one("number", "pump_target_speed")).children;
  assert.deepEqual(buttons.map((each) => [written(each), each.props["aria-pressed"]]), [["Low", "false"], ["Medium", "true"], ["High", "false"]]);
  buttons[2].props.onclick();
  assert.deepEqual(sent, [["number.set_value", "number.pump_target_speed", { value: 100 }]]);
  assert.doesNotMatch(drawn(PoolOutputs, [STATUS, CONNECTION, ["switch.pump", "on", {}], speed]).says, /Medium/);
});

/** What the card *Today* asks the recorder, while time passes and its page sleeps. */
const slept = async (context, sleep) => {
  const hour = 3_600_000;
  context.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-28T09:00:00Z") });
  const card = new PoolDay();
  const asked = [];
  card.isConnected = true;
  card.show = () => {};
  const update = (state) => {
    const hass = home([STATUS, CONNECTION, ["switch.pump", state, {}]]);
    hass.states["switch.pump"].last_updated = new Date().toISOString();
    hass.callWS = async ({ type }) => {
      if (type.startsWith("history")) {
        asked.push(Date.now());
        return { "switch.pump": [{ s: "on", lu: Date.now() / 1000 - 60 }] };
      }
      return { runs: [] };
    };
    card.hass = hass;
    return new Promise(setImmediate);
  };
  await update("on");
  context.mock.timers.setTime(Date.now() + 60_000);
  await update("on");
  const before = asked.length;
  await sleep({ card, update, pass: () => context.mock.timers.setTime(Date.now() + 5 * hour) });
  await update("off");
  return { card, more: asked.length - before };
};

test("after the page slept, the card Today asks the recorder again", async (context) => {
  const { card, more } = await slept(context, ({ pass }) => pass());
  assert.equal(more, 1);
  const past = card.past["switch.pump"];
  // The newest state is added to what the recorder has.
  assert.equal(past[past.length - 1].s, "off");
});

test("after its page was hidden or without its connection, it asks again", async (context) => {
  const hidden = await slept(context, async ({ update }) => {
    document.hidden = true;
    await update("on");
    document.hidden = false;
  });
  assert.equal(hidden.more, 1);
  context.mock.timers.reset();
  const lost = await slept(context, async ({ card }) => {
    card.hass = { ...card.hass, connected: false };
  });
  assert.equal(lost.more, 1);
});

test("while it sees everything, it does not ask again", async (context) => {
  assert.equal((await slept(context, () => {})).more, 0);
});

const HOURS = [["14:15", "15:45"], ["18:00", "19:00"]].map(([start, end]) => ({ start: `2026-11-28T${start}:00+00:00`, end: `2026-11-28T${end}:00+00:00` }));
const WARM_BY = { warm_by: "2026-11-28T19:00:00+00:00", warm_by_planned: HOURS, warm_by_done: [], warm_by_prices: [[HOURS[0].start, HOURS[0].end, 0.2], [HOURS[1].start, HOURS[1].end, 0.3]] };
const body = (more, action = "idle") => [
  STATUS,
  CONNECTION,
  ["climate.spa_heating", "heat", { hvac_action: action, temperature: 36, explanation: "It waits.", ...more }],
];
const feature = (entities) => {
  const found = drawn(PoolWhy, entities);
  found.card.config = { type: "", entity_id: "climate.spa_heating" };
  return { ...found, tree: found.card.draw(found.pool), says: written(found.card.draw(found.pool)) };
};

test("a thermostat offers warm water by a time, and says what it will do", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-28T20:00:00Z") });
  const { card, pool, says, tree } = feature(body({}));
  assert.match(says, /It waits\. Warm by …/);
  const sent = [];
  card.perform = (...all) => sent.push(all);
  tree[1].props.onclick();
  // It asks what this would do, once for each time, and says so.
  const asked = [];
  card.hassNow.callWS = (message) => (asked.push(message), Promise.resolve({ reasons: [["why_warm_by_waits", { time: "2026-11-29T16:10:00+00:00" }]] }));
  const dialog = () => card.asked(pool).text;
  dialog();
  await Promise.resolve();
  assert.match(dialog(), /^Heating begins at about Sun\u00a016:10\. The pump and the heating/);
  assert.deepEqual(asked, [{ type: "poolctl/warm_by", entity_id: "climate.spa_heating", at: "2026-11-29T19:00:00.000Z" }]);
  // Nothing is asked for before the button is pressed; 19:00 is tomorrow's, as today's has passed.
  const primary = () => card.asked(pool).groups[0].answers[0];
  assert.equal(primary().label, "36 °C by Sun\u00a019:00");
  const [time, day] = card.asked(pool).fields;
  day.props.onchange({ target: { value: "2" } });
  time.props.oninput({ target: { value: "21:30" } });
  assert.match(written(day), /tomorrow/);
  assert.deepEqual(sent, []);
  primary().run();
  assert.deepEqual(sent, [["poolctl.warm_by", "climate.spa_heating", { at: "2026-11-30T21:30:00.000Z" }]]);
  time.props.oninput({ target: { value: "" } });
  assert.equal(primary().label, "Cancel");
});

test("warm water that was asked for has its target, its time, its hours and Cancel", (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-28T12:00:00Z") });
  const { card, says, tree } = feature(body(WARM_BY));
  assert.equal(says, "36 °C by 19:00 · heating 14:15–15:45, 18:00–19:00 Cancel");
  const sent = [];
  card.perform = (...all) => sent.push(all);
  tree[1].props.onclick();
  assert.deepEqual(sent, [["poolctl.cancel_warm_by", "climate.spa_heating"]]);
  const waits = { ...WARM_BY, warm_by_planned: [], warm_by_explanation: "Heating begins at about 16:10." };
  assert.match(feature(body(waits)).says, /36 °C by 19:00 · Heating begins at about 16:10\./);
  assert.match(feature(body({ ...WARM_BY, warm_by_done: HOURS.slice(0, 1), warm_by_planned: HOURS.slice(1) })).says, /14:15–15:45, 18:00–19:00/);
  // From its time on, it is kept warm.
  context.mock.timers.setTime(Date.parse("2026-11-28T20:00:00Z"));
  assert.match(feature(body({ ...WARM_BY, warm_by_explanation: "It stays warm until 22:00." })).says, /by 19:00 · It stays warm until 22:00\. Cancel/);
});

test("a thermostat that heats does not repeat its target", () => {
  assert.doesNotMatch(feature(body({}, "heating")).says, /It waits/);
});

test("the hours of warm water are planned in Today, with their prices", (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-28T12:00:00Z") });
  const today = (more) => {
    const { card, pool } = drawn(PoolDay, [...body(more), ["binary_sensor.spa_heater", "off", {}]]);
    card.day = { from: Date.parse("2026-11-28T00:00:00Z"), to: Date.parse("2026-11-29T00:00:00Z") };
    // The thermostat shows when its heater ran.
    const at = card.day.from / 1000 + 3600;
    card.past = { "binary_sensor.spa_heater": [{ s: "on", lu: at }, { s: "off", lu: at + 3600 }] };
    assert.deepEqual(card.rows(pool).map(({ id }) => id).filter((id) => id.startsWith("binary_sensor")), []);
    return { row: card.rows(pool).find(({ id }) => id === "climate.spa_heating"), tree: JSON.stringify(card.draw(pool)) };
  };
  const { row, tree } = today(WARM_BY);
  assert.equal(row.planned.length, 2);
  assert.match(tree, /"polyline"/);
  assert.doesNotMatch(today({ ...WARM_BY, warm_by_prices: [] }).tree, /polyline/);
  assert.equal(today({}).row, undefined);
});

test("each dose is a mark in Today", (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-28T12:00:00Z") });
  const { card, pool } = drawn(PoolDay, [STATUS, CONNECTION, ["sensor.acid_used_today", "45", { unit_of_measurement: "mL" }]]);
  card.day = { from: Date.parse("2026-11-28T00:00:00Z"), to: Date.parse("2026-11-29T00:00:00Z") };
  const at = (hour, s) => ({ s, lu: card.day.from / 1000 + hour * 3600 });
  card.past = { "sensor.acid_used_today": [at(-2, "60"), at(0, "0"), at(5, "15"), at(6, "unavailable"), at(7, "15"), at(8, "45")] };
  const [row] = card.rows(pool);
  assert.deepEqual(row.ran.map(({ from }) => (from - card.day.from) / 3_600_000), [5, 8]);
  assert.match(written(card.draw(pool)), /45 mL/);
});
