// Times as the profile of a user wants them, also where the clock jumps.

import assert from "node:assert/strict";
import { test } from "node:test";

import { capital, clock, days, daysUntil, duration, hourOfDay, moment, upcoming, worded } from "../../custom_components/poolctl/frontend/format.js";
import { fill, load, words } from "../../custom_components/poolctl/frontend/words.js";
import { texts } from "./texts.mjs";

for (const language of ["en", "de", "fr"]) {
  await load(language, texts);
}
await load("fr-FR", texts);

const HOUR = 3_600_000;
const BERLIN = "Europe/Berlin";
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ");
const hass = (language, more = {}) => ({
  language,
  locale: { language, time_zone: "server", time_format: "language", number_format: "language", ...more },
  config: { time_zone: BERLIN },
});

for (const [name, noon, length] of [
  ["a usual day", "2026-05-04T12:00:00Z", 24],
  ["the clock goes forward", "2026-03-29T12:00:00Z", 23],
  ["the clock goes back", "2026-10-25T12:00:00Z", 25],
]) {
  test(`${name} has ${length} hours`, () => {
    const at = Date.parse(noon);
    assert.equal((hourOfDay(at, BERLIN, 24) - hourOfDay(at, BERLIN, 0)) / HOUR, length);
    assert.equal(clock(hass("de"), hourOfDay(at, BERLIN, 0)), "Mitternacht");
    for (const hour of [6, 12, 18]) {
      assert.equal(clock(hass("de"), hourOfDay(at, BERLIN, hour)), `${String(hour).padStart(2, "0")}:00`);
    }
  });
}

test("a day is that of its zone", () => {
  const late = Date.parse("2026-05-04T22:30:00Z");
  assert.equal(new Date(hourOfDay(late, BERLIN, 0)).toISOString(), "2026-05-04T22:00:00.000Z");
  assert.equal(new Date(hourOfDay(late, "America/New_York", 0)).toISOString(), "2026-05-04T04:00:00.000Z");
});

test("a moment has its day, unless it is today", () => {
  const now = Date.parse("2026-05-04T10:00:00Z");
  const midnight = hourOfDay(now, BERLIN, 24);
  const shown = (at, locale = hass("en")) => plain(moment(locale, at, now));
  assert.equal(shown(now), "12:00 PM");
  assert.equal(shown(now, hass("en", { time_format: "24" })), "12:00");
  assert.equal(shown(midnight), "midnight");
  assert.equal(shown(midnight, hass("fr-FR")), "minuit");
  assert.equal(shown(midnight + HOUR), "Tue 1:00 AM");
  assert.equal(shown(now - 8 * 24 * HOUR), "Apr 26, 12:00 PM");
});

test("of a sentence, the times are those of the profile, and names stay", () => {
  const at = hourOfDay(Date.now(), BERLIN, 18.5);
  const values = { time: new Date(at).toISOString(), schedule: "Cleaner 18:30" };
  const shown = (more) => plain(worded(hass("en", more), values, "not_there", "why_next"));
  assert.equal(shown({}), "Next start: 6:30 PM (Cleaner 18:30).");
  assert.equal(shown({ time_format: "24" }), "Next start: 18:30 (Cleaner 18:30).");
  assert.equal(worded(hass("en"), values, "not_there"), "");
  assert.equal(worded(hass("en"), undefined, "why_next"), "");
});

test("a sentence begins with a capital", () => {
  const begun = (text, language = "en") => capital(hass(language), text);
  assert.deepEqual(["filtering", "pH 7.4", "", undefined].map((text) => begun(text)), ["Filtering", "pH 7.4", "", ""]);
  assert.equal(begun("éteint", "fr"), "Éteint");
});

test("lengths and days are words of the language", () => {
  assert.equal(plain(duration(hass("de"), 8 * HOUR + 20 * 60_000)), "8 Std. 20 Min.");
  assert.equal(plain(duration(hass("en"), 0)), "0 min");
  const now = Date.parse("2026-05-04T10:00:00Z");
  assert.equal(daysUntil(hass("en"), now + 52 * 24 * HOUR, now), 52);
  assert.deepEqual(["en", "de", "es", "it", "pt-BR"].map((language) => days(hass(language), 52)), ["52 days", "52 Tage", "52 días", "52 giorni", "52 dias"]);
});

test("texts are asked for once, and again after a failure", async () => {
  let fails = true;
  const asked = [];
  const callWS = async (message) => {
    asked.push(message.language);
    if (fails) {
      throw new Error("no connection");
    }
    return { resources: { "component.poolctl.common.card_pool": "Piscina", "component.poolctl.common.dry_run": "A bomba" } };
  };
  assert.deepEqual(await load("pt", callWS), {});
  assert.deepEqual(words("pt"), {});
  fails = false;
  await Promise.all([load("pt", callWS), load("pt", callWS)]);
  assert.deepEqual(words("pt"), { pool: "Piscina", dry_run: "A bomba" });
  await load("de-CH", callWS);
  assert.deepEqual(asked, ["pt-BR", "pt-BR", "de"]);
  assert.equal(fill("{a} of {b}", { a: "1" }), "1 of {b}");
});

test("the next day at a time is today until then, also where the clock jumps", () => {
  const at = (time, now) => upcoming(hass("en-GB"), time, Date.parse(now)).map((each) => moment(hass("en-GB"), each, 0).slice(-5));
  const first = (time, now) => new Date(upcoming(hass("en-GB"), time, Date.parse(now))[0]).toISOString();
  assert.equal(first("19:30", "2026-05-04T12:00:00Z"), "2026-05-04T17:30:00.000Z");
  assert.equal(first("07:00", "2026-05-04T12:00:00Z"), "2026-05-05T05:00:00.000Z");
  assert.deepEqual(at("19:30", "2026-10-24T12:00:00Z"), Array(7).fill("19:30"));
  assert.deepEqual(upcoming(hass("en-GB"), "", 0), []);
});
