// What the views are made of.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Pool } from "../../custom_components/poolctl/frontend/pool.js";
import { settings } from "../../custom_components/poolctl/frontend/views.js";
import { words } from "../../custom_components/poolctl/frontend/words.js";

const CONNECTION = "sensor.connection";
const ours = [
  [CONNECTION, "connection", "diagnostic"],
  ["switch.filter", "schedule", "config"],
  ["time.filter_start", "schedule_start", "config"],
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
