// What the views are made of.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Pool } from "../../custom_components/poolctl/frontend/pool.js";
import { daily, settings } from "../../custom_components/poolctl/frontend/views.js";
import { words } from "../../custom_components/poolctl/frontend/words.js";

const CONNECTION = "sensor.connection";
const ours = [
  [CONNECTION, "connection", "diagnostic"],
  ["switch.filter", "schedule", "config"],
  ["time.filter_start", "schedule_start", "config"],
  ["sensor.power", "pump_power", null],
  ["sensor.flow", "flow_rate", null],
];
const hass = {
  language: "en",
  entities: Object.fromEntries(
    ours.map(([entity_id, translation_key, entity_category]) => [entity_id, { entity_id, translation_key, entity_category, platform: "poolctl", device_id: "pool" }]),
  ),
  devices: { pool: { id: "pool", name: "Pool" } },
  states: Object.fromEntries(ours.map(([entity_id]) => [entity_id, { entity_id, state: "on", attributes: {} }])),
};

test("in the cloud a setting shows its state, not two buttons", () => {
  const [rows] = settings(new Pool(hass, "pool"), words("en"))
    .sections.flatMap(({ cards }) => cards)
    .filter(({ type }) => type === "entities")
    .map(({ entities }) => entities);
  const at = (way) =>
    rows
      .filter(({ conditions }) => !conditions || conditions.every(({ state, state_not }) => (state ? state === way : state_not !== way)))
      .map((row) => row.row ?? row)
      .map(({ entity, type }) => [entity, type]);
  const time = ["time.filter_start", "simple-entity"];
  assert.deepEqual(at("lan"), [["switch.filter", undefined], time]);
  assert.deepEqual(at("cloud"), [["switch.filter", "simple-entity"], time]);
  assert.ok(rows.every(({ conditions }) => !conditions || conditions.every(({ entity }) => entity === CONNECTION)));
});

test("of power and flow, one that is alone has the whole row", () => {
  const cards = daily(new Pool(hass, "pool"), words("en")).sections.flatMap((section) => section.cards);
  const [stack] = cards.filter(({ type }) => type === "horizontal-stack");
  assert.deepEqual(stack.cards.map(({ entity }) => entity), ["sensor.power", "sensor.flow"]);
  assert.ok(stack.cards.every(({ entity, visibility: [condition] }) => condition.entity === entity));
  assert.equal(stack.grid_options.columns, 12);
});

test("volumes in different units can be compared", () => {
  const pool = new Pool(hass, "pool");
  const volume = (state, unit) => pool.numbered({ state: { state, attributes: { unit_of_measurement: unit } } });
  assert.equal(volume("5000", "mL") / volume("20", "L"), 0.25);
  assert.equal((volume("5", "L") / volume("5.3", "gal")).toFixed(2), "0.25");
  assert.equal(volume("7.4", undefined), 7.4);
});
