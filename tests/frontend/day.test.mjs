// The logic behind the cards, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { around, rises, runs, shaded, total, within } from "../../custom_components/poolctl/frontend/day.js";

const HOUR = 3_600_000;
const DAY = { from: 0, to: 24 * HOUR };
const span = (from, to, more) => ({ from: from * HOUR, to: to * HOUR, ...more });
const at = (hour, s, a) => ({ s, lu: hour * 3600, ...(a && { a }) });
const hours = (found) => found.map(({ from, to }) => [from / HOUR, to / HOUR]);

test("a stretch is cut where the day begins and ends", () => {
  assert.deepEqual(hours(within(span(-2, 2), DAY)), [[0, 2]]);
  assert.deepEqual(hours(within(span(22, 26), DAY)), [[22, 24]]);
  assert.deepEqual(within(span(24, 25), DAY), []);
});

test("what overlaps counts once", () => {
  assert.equal(total([span(3, 5), span(1, 4), span(8, 9)]) / HOUR, 5);
  assert.equal(total([]), 0);
});

test("what ran ends now at the latest, and joins where only an attribute changed", () => {
  const past = [at(-3, "on"), at(1, "off"), at(2, "on", { mode: "schedule" }), at(3, "on", { mode: "x" })];
  assert.deepEqual(hours(runs(past, DAY, 4 * HOUR)), [[0, 1], [2, 4]]);
  assert.deepEqual(runs([], DAY, HOUR), []);
});

test("what is held off is there, too, and unavailable is not", () => {
  const past = [at(1, "off", { held_by_hand: true }), at(2, "on"), at(3, "unavailable", {})];
  const found = runs(past, DAY, 5 * HOUR);
  assert.deepEqual(found.map(({ level, held }) => [level, held]), [[0, true], [1, true]]);
});

test("a thermostat that heats runs", () => {
  const past = [at(1, "heat", { hvac_action: "idle" }), at(2, "heat", { hvac_action: "heating" })];
  assert.deepEqual(hours(runs(past, DAY, 3 * HOUR)), [[2, 3]]);
});

test("a run is as dark as its speed", () => {
  const ran = runs([at(0, "on")], DAY, 6 * HOUR);
  const found = shaded(ran, [at(0, "50"), at(2, "52"), at(3, "100"), at(4, "unknown")], 6 * HOUR);
  assert.deepEqual(found.map(({ from, to, level }) => [from / HOUR, to / HOUR, level]), [[0, 2, 0.5], [2, 3, 0.52], [3, 4, 1]]);
  assert.deepEqual(shaded(ran, [], 6 * HOUR), ran);
});

test("a counter that begins again goes on", () => {
  const found = rises([at(0, "5"), at(1, "7"), at(2, "unavailable"), at(3, "1"), at(4, "1"), at(5, "0")]);
  assert.deepEqual(found.map((each) => [each.at / HOUR, each.by]), [[1, 2], [3, 1]]);
});

test("the run of now ends when its output stops, not with its schedule", () => {
  const plan = [span(8, 12, { until: 15 * HOUR }), span(12, 15, { until: 15 * HOUR }), span(20, 21, { until: 21 * HOUR })];
  assert.deepEqual(around(plan, 9.5 * HOUR), { end: 15 * HOUR, next: undefined });
  assert.deepEqual(around(plan, 15 * HOUR), { end: undefined, next: 20 * HOUR });
  assert.deepEqual(around([span(0, 24), span(24, 48)], 5 * HOUR), { end: undefined, next: undefined });
  assert.deepEqual(around([], 0), { end: undefined, next: undefined });
});
