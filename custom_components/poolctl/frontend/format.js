// Times and numbers as the user's profile wants them.

import { fill, words } from "./words.js";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The time zone that the user sees: that of the home, or that of the browser. @type {(hass: Hass) => string | undefined} */
export const zoneOf = ({ locale, config }) =>
  locale.time_zone === "server" ? config.time_zone : undefined;

/** @type {(hass: Hass) => Intl.DateTimeFormatOptions} */
function hourAndMinute({ locale }) {
  const usual = new Intl.DateTimeFormat(locale.language, { hour: "numeric" }).resolvedOptions().hour12;
  const hour12 = { 12: true, 24: false }[locale.time_format] ?? usual;
  return { hour: hour12 ? "numeric" : "2-digit", minute: "2-digit", hour12 };
}

/** A time that is not broken before its last word: "6:40 PM". @type {(hass: Hass, options: Intl.DateTimeFormatOptions, at: number) => string} */
const format = (hass, options, at) =>
  new Intl.DateTimeFormat(hass.locale.language, { timeZone: zoneOf(hass), ...options }).format(at).replace(/ (?=\S+$)/, "\u00a0");

/** "18:40", "6:40 PM" or "midnight". @type {(hass: Hass, at: number) => string} */
export const clock = (hass, at) =>
  hourOfDay(at, zoneOf(hass), 0) === at ? words(hass.language).midnight : format(hass, hourAndMinute(hass), at);

/** "18:40" on the same day, else with the day: "Fri 18:40", "4 Dec, 18:40". @type {(hass: Hass, at: number, now?: number) => string} */
export function moment(hass, at, now = Date.now()) {
  // The midnight that ends today is today's.
  if (hourOfDay(at > now ? at - 1 : at, zoneOf(hass), 0) === hourOfDay(now, zoneOf(hass), 0)) {
    return clock(hass, at);
  }
  /** @type {Intl.DateTimeFormatOptions} */
  const day = Math.abs(at - now) < 6 * DAY ? { weekday: "short" } : { day: "numeric", month: "short" };
  return format(hass, { ...day, ...hourAndMinute(hass) }, at);
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const UNIT = / (?=\D{1,2}$)/;

/** The first text of the integration that there is, with its values, of which times are those of the user. @type {(hass: Hass, values?: Record<string, string>, ...keys: (string | undefined)[]) => string} */
export function worded(hass, values, ...keys) {
  const shown = Object.entries(values ?? {}).map(([name, value]) => [name, ISO.test(value) ? moment(hass, Date.parse(value)) : value.replace(UNIT, "\u00a0")]);
  const [text = ""] = keys.map((key) => words(hass.language)[key ?? ""]).filter(Boolean);
  return values ? fill(text, Object.fromEntries(shown)) : "";
}

/** A text as the beginning of a sentence; "pH" stays. @type {(hass: Hass, text?: string) => string} */
export const capital = (hass, text = "") => (text.startsWith("pH") ? text : text.slice(0, 1).toLocaleUpperCase(hass.language) + text.slice(1));

/** The days from now until a moment. @type {(hass: Hass, at: number, now?: number) => number} */
export function daysUntil(hass, at, now = Date.now()) {
  const zone = zoneOf(hass);
  return Math.round((hourOfDay(at, zone, 0) - hourOfDay(now, zone, 0)) / DAY);
}

/** "today", "tomorrow", then the day of the week. @type {(hass: Hass, at: number) => string} */
export function dayOf(hass, at) {
  const ahead = daysUntil(hass, at);
  return ahead < 2 ? new Intl.RelativeTimeFormat(hass.locale.language, { numeric: "auto" }).format(ahead, "day") : format(hass, { weekday: "long" }, at);
}

/** The times of a week at which the clock shows "19:00", the next one first. @type {(hass: Hass, time: string, now?: number) => number[]} */
export function upcoming(hass, time, now = Date.now()) {
  if (!time) {
    return [];
  }
  const [hour, minute] = time.split(":").map(Number);
  const all = [...Array(8).keys()].map((day) => hourOfDay(now, zoneOf(hass), day * 24 + hour + minute / 60));
  return all.filter((at) => at > now).slice(0, 7);
}

/** "12 days". @type {(hass: Hass, value: number) => string} */
export const days = (hass, value) => new Intl.NumberFormat(hass.locale.language, { style: "unit", unit: "day", unitDisplay: "long" }).format(value);

/** "8 h 20 min". @type {(hass: Hass, ms: number) => string} */
export function duration(hass, ms) {
  const minutes = Math.round(ms / MINUTE);
  /** @type {(value: number, unit: string) => string} */
  const part = (value, unit) =>
    new Intl.NumberFormat(hass.locale.language, { style: "unit", unit, unitDisplay: "short" }).format(value);
  const hours = Math.floor(minutes / 60);
  return [hours && part(hours, "hour"), (minutes % 60 || !hours) && part(minutes % 60, "minute")].filter(Boolean).join(" ");
}

/** A number in the user's format, a dash if it is unknown. @type {(hass: Hass, value: number, digits?: number) => string} */
export const number = (hass, value, digits = 0) =>
  Number.isFinite(value)
    ? new Intl.NumberFormat(NUMBERS[hass.locale.number_format] ?? hass.locale.language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)
    : "–";

/** A temperature in the unit of the home; a target is usually a whole one. @type {(hass: Hass, value: number) => string} */
export const degrees = (hass, value) => `${number(hass, value, Number.isInteger(value) ? 0 : 1)} ${hass.config.unit_system.temperature}`;

/** Both ends of a range, as exactly as it is wide. @type {(hass: Hass, range: number[]) => string[]} */
export const ends = (hass, range) => range.map((end) => number(hass, end, range[1] < 5 ? 2 : range[1] < 100 ? 1 : 0));

/** Languages that write numbers as the profile wants them. @type {Record<string, string>} */
const NUMBERS = { comma_decimal: "en-US", decimal_comma: "de", space_comma: "fr", none: "en-US-u-nu-latn" };

/** Return how far a zone is ahead of UTC at a moment, in ms. @param {number} at @param {string | undefined} zone */
function offset(at, zone) {
  const numeric = "numeric";
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hourCycle: "h23", year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric }).formatToParts(at);
  /** @type {(type: string) => number} */
  const of = (type) => Number(parts.find((part) => part.type === type)?.value);
  const wall = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return wall - Math.floor(at / 1000) * 1000;
}

/** Return when the wall clock shows an hour of the day that a moment is in; 24 is the next midnight. @param {number} at @param {string | undefined} zone @param {number} hour */
export function hourOfDay(at, zone, hour) {
  const wall = Math.floor((at + offset(at, zone)) / DAY) * DAY + hour * HOUR;
  // The offset of a moment near it; where the clock jumps between, that of the other side.
  const near = wall - offset(wall - offset(at, zone), zone);
  return wall - offset(near, zone);
}
