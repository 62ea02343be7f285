// Times as the profile of a user wants them, also where the clock jumps.

import assert from "node:assert/strict";
import { test } from "node:test";

import { clock, days, daysUntil, duration, hourOfDay, moment, retimed } from "../../custom_components/poolctl/frontend/format.js";
import { fill, words } from "../../custom_components/poolctl/frontend/words.js";

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

test("the times of a sentence are those of the profile", () => {
  const shown = (text, more, language = "en") => plain(retimed(hass(language, more), text));
  assert.equal(shown("Asked for that at 09:26. It ends at 18:40."), "Asked for that at 9:26 AM. It ends at 6:40 PM.");
  assert.equal(shown("It ends at 18:40.", { time_format: "24" }), "It ends at 18:40.");
  assert.equal(shown("It began at 00:00 and ends at 24:00."), "It began at midnight and ends at midnight.");
  assert.equal(shown("Since 2026-03-29 18:40."), "Since Mar 29, 6:40 PM.");
  assert.equal(shown("Es endet am 2026-10-25 07:05.", {}, "de"), "Es endet am 25. Okt., 07:05.");
  for (const text of ["It is at 10.0.0.10:50.", "Its card is 0a:10:20:30:40:50.", "8:30, 12:75"]) {
    assert.equal(shown(text), text);
  }
});

test("lengths and days are words of the language", () => {
  assert.equal(plain(duration(hass("de"), 8 * HOUR + 20 * 60_000)), "8 Std. 20 Min.");
  assert.equal(plain(duration(hass("en"), 0)), "0 min");
  const now = Date.parse("2026-05-04T10:00:00Z");
  assert.equal(daysUntil(hass("en"), now + 52 * 24 * HOUR, now), 52);
  assert.deepEqual(["en", "de", "es", "it", "pt-BR"].map((language) => days(hass(language), 52)), ["52 days", "52 Tage", "52 días", "52 giorni", "52 dias"]);
});

test("all words are there in every language, with the same gaps", () => {
  const gaps = (text) => (text.match(/\{\w+\}/g) ?? []).sort();
  const english = words("en-GB");
  for (const language of ["de", "fr", "es", "it", "nl", "pt-BR", "cs", "sv"]) {
    const found = words(language);
    assert.notEqual(found.description, english.description);
    for (const [key, text] of Object.entries(english)) {
      assert.ok(found[key], `${language} ${key}`);
      if (key !== "contents") {
        assert.deepEqual(gaps(found[key]), gaps(text), `${language} ${key}`);
      }
    }
    assert.ok(Object.values(found.contents).every(Boolean), language);
  }
  assert.deepEqual(words("ja"), english);
  assert.equal(fill("{a} of {b}", { a: "1" }), "1 of {b}");
});
