// What the views are made of.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Pool } from "../../custom_components/poolctl/frontend/pool.js";
import { daily, settings } from "../../custom_components/poolctl/frontend/views.js";
import { load } from "../../custom_components/poolctl/frontend/words.js";
import { texts } from "./texts.mjs";

const text = await load("en", texts);

const CONNECTION = "sensor.connection";
const ours = [
  [CONNECTION, "connection", "diagnostic"],
  ["switch.filter", "schedule_x", "config"],
  ["number.filter_limit", "schedule_limit", "config"],
  ["sensor.power", "pump_power", null],
  ["sensor.flow", "flow_rate", null],
];
const hass = {
  language: "en",
  entities: Object.fromEntries(
    ours.map(([entity_id, translation_key, entity_category]) => [entity_id, { entity_id, translation_key, entity_category, platform: "poolctl", device_id: "pool" }]),
  ),
  devices: { pool: { id: "pool", name: "Pool" } },
  formatEntityName: ({ entity_id }) => entity_id,
  states: Object.fromEntries(ours.map(([entity_id]) => [entity_id, { entity_id, state: "on", attributes: {} }])),
};

test("in the cloud a setting shows its state, not two buttons", () => {
  const [rows] = settings(new Pool(hass, "pool"), text)
    .sections.flatMap(({ cards }) => cards)
    .filter(({ type }) => type === "entities")
    .map(({ entities }) => entities);
  const at = (way) =>
    rows
      .filter(({ conditions }) => !conditions || conditions.every(({ state, state_not }) => (state ? state === way : state_not !== way)))
      .map((row) => row.row ?? row)
      .map(({ entity, type }) => [entity, type]);
  const limit = ["number.filter_limit", "simple-entity"];
  assert.deepEqual(at("lan"), [limit, ["switch.filter", undefined]]);
  assert.deepEqual(at("cloud"), [limit, ["switch.filter", "simple-entity"]]);
  assert.ok(rows.every(({ conditions }) => !conditions || conditions.every(({ entity }) => entity === CONNECTION)));
});

test("volumes in different units can be compared", () => {
  const pool = new Pool(hass, "pool");
  const volume = (state, unit) => pool.numbered({ state: { state, attributes: { unit_of_measurement: unit } } });
  assert.equal(volume("5000", "mL") / volume("20", "L"), 0.25);
  assert.equal((volume("5", "L") / volume("5.3", "gal")).toFixed(2), "0.25");
  assert.equal(volume("7.4", undefined), 7.4);
});

test("nothing is good that one read shows otherwise, or that the controller does not report now", () => {
  const ph = (state, status = {}, connection = "lan") => {
    const entities = { "sensor.ph": "ph", "sensor.status": "status", [CONNECTION]: "connection" };
    const attributes = { "sensor.ph": { good_from: 7, good_to: 7.8 }, "sensor.status": status, [CONNECTION]: {} };
    const states = { "sensor.ph": state, "sensor.status": "all_well", [CONNECTION]: connection };
    const made = (build) => Object.fromEntries(Object.entries(entities).map(([id, key]) => [id, build(id, key)]));
    const pool = new Pool({
      ...hass,
      entities: made((entity_id, translation_key) => ({ entity_id, translation_key, platform: "poolctl", device_id: "pool" })),
      states: made((entity_id) => ({ entity_id, state: states[entity_id], attributes: attributes[entity_id] })),
    });
    return pool.rate(pool.one("sensor", "ph"), "ph_out_of_range");
  };
  const problem = { key: "ph_out_of_range", severity: "problem", sentence: "pH 8.2 is too high." };
  assert.equal(ph("7.4"), "good");
  assert.equal(ph("8.2"), "fair");
  assert.equal(ph("6.9"), "fair");
  assert.equal(ph("8.2", { problems: [problem] }), "poor");
  assert.equal(ph("7.4", {}, "cloud"), "none");
  assert.equal(ph("unknown"), "none");
});

const home = (entities) => ({
  ...hass,
  entities: Object.fromEntries(entities.map(([id, key, category]) => [id, { entity_id: id, translation_key: key, entity_category: category, platform: "poolctl", device_id: "pool" }])),
  states: Object.fromEntries(entities.map(([id, , , attributes = {}]) => [id, { entity_id: id, state: "on", attributes }])),
});
const LIGHTS = [
  ["light.pool", "pool_light", null],
  ["light.spa", "spa_light", null],
  ["button.pool_colour", "light_next_colour", null, { light: "light.pool" }],
  ["button.spa_colour", "light_next_colour", null, { light: "light.spa" }],
];
const cards = (view) => view.sections.flatMap((section) => section.cards);

test("on a phone, Today follows the headline, and the outputs follow Today", () => {
  const [first, second] = daily(new Pool(home(ours), "pool"), text).sections.map((section) => section.cards.map(({ type }) => type));
  assert.deepEqual(first, ["custom:poolctl-pool-card", "custom:poolctl-day-card", "custom:poolctl-outputs-card"]);
  assert.equal(second[0], "custom:poolctl-water-card");
});

test("what a light offers is there while that light is on, without a state of its own", () => {
  const found = cards(daily(new Pool(home(LIGHTS), "pool"), text)).filter(({ entity }) => entity?.startsWith("button."));
  const shown = found.map(({ entity, hide_state, visibility }) => [entity, hide_state, visibility.map((each) => each.entity)]);
  assert.deepEqual(shown, [["button.pool_colour", true, ["light.pool"]], ["button.spa_colour", true, ["light.spa"]]]);
});

test("schedules are one list, with a button that adds one", () => {
  const found = cards(settings(new Pool(home([["calendar.schedules", "schedules", null], ["switch.filter", "schedule", "config"]]), "pool"), text));
  assert.deepEqual(found.map(({ type, entity }) => [type, entity]), [["heading", undefined], ["tile", "switch.filter"], ["tile", "calendar.schedules"]]);
  assert.equal(found[2].tap_action.navigation_path, "/calendar");
});

test("what the spa has as the pool has it, is named after the spa", () => {
  const both = [["switch.spa", "spa_heater_allowed", "config"], ["number.spa", "spa_heater_power", "config"], ["switch.pool", "pool_heater_allowed", "config"]];
  const named = { ...home(both), formatEntityName: ({ entity_id }, parts) => [parts].flat().map(({ type, text: word }) => word ?? (type === "device" ? "Spa" : entity_id)).join(" ") };
  const [, list] = cards(settings(new Pool(named, "pool"), text));
  assert.deepEqual(list.entities.map(({ name }) => name).sort(), ["Spa · number.spa", "Spa · switch.spa", "switch.pool"]);
});
