// The day as stretches of time: what was planned and what really ran. Nothing here draws.

/** @typedef {{ from: number, to: number }} Span */
/** @typedef {Span & { until?: number }} Planned A run of a schedule, and when its output stops: another schedule may follow. */
/** @typedef {Span & { level: number, held: boolean }} Run A stretch that something ran (level above 0), or was held off. */
/** @typedef {{ s: string, lu: number, lc?: number, a?: Record<string, any> }} Past A state of the recorder; times in s. */

/** Return a stretch as far as it lies within another, or nothing. @type {<T extends Span>(span: T, day: Span) => T[]} */
export function within(span, day) {
  const from = Math.max(span.from, day.from);
  const to = Math.min(span.to, day.to);
  return from < to ? [{ ...span, from, to }] : [];
}

/** Return when the planned run of now stops, if it does, or when the next one begins. @param {Planned[]} plan @param {number} [now] */
export function around(plan, now = Date.now()) {
  const run = plan.find(({ from, to }) => from <= now && now < to);
  const starts = plan.map(({ from }) => from).filter((from) => from > now);
  return { end: run?.until, next: run || !starts.length ? undefined : Math.min(...starts) };
}

/** Return how long stretches are together; what overlaps counts once. @type {(spans: Span[]) => number} */
export function total(spans) {
  let end = -Infinity;
  let sum = 0;
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

// The past is the recorder's, oldest first; attributes may be left out where they did not change.
/** Return what ran or was held within a day. @type {(past: Past[], day: Span, now: number) => Run[]} */
export function runs(past, day, now) {
  /** @type {Run[]} */
  const found = [];
  /** @type {Record<string, any>} */
  let attributes = {};
  past.forEach(({ s, lu, a }, at) => {
    attributes = a ?? attributes;
    const next = past[at + 1];
    const to = Math.min(next ? next.lu * 1000 : now, now);
    const on = s === "on" || attributes.hvac_action === "heating";
    const run = { from: lu * 1000, to, level: on ? 1 : 0, held: attributes.held_by_hand === true };
    const last = found[found.length - 1];
    if (last && last.to === run.from && last.level === run.level && last.held === run.held) {
      last.to = run.to;
    } else {
      found.push(run);
    }
  });
  return found.filter(({ level, held }) => level > 0 || held).flatMap((run) => within(run, day));
}

/** Split what ran by how fast: each piece has the share of full speed as its level. @param {Run[]} ran @param {Past[]} speeds In per cent. @param {number} now @returns {Run[]} */
export function shaded(ran, speeds, now) {
  const spans = speeds.map(({ s, lu }, at) => ({
    from: lu * 1000,
    to: speeds[at + 1] ? speeds[at + 1].lu * 1000 : now,
    level: Number(s) / 100,
  }));
  return ran.flatMap((run) => {
    if (run.level === 0) {
      return [run];
    }
    const pieces = spans.filter(({ level }) => level > 0).flatMap((span) => within({ ...run, ...span }, run));
    return pieces.length ? pieces : [run];
  });
}

/** Return when a counter grew, and by how much, also where it began again. @type {(past: Past[]) => { at: number, by: number }[]} */
export const rises = (past) => {
  const values = past.map(({ s, lu }) => ({ at: lu * 1000, value: Number(s) })).filter(({ value }) => Number.isFinite(value));
  const grew = values.slice(1).map(({ at, value }, index) => ({ at, by: value < values[index].value ? value : value - values[index].value }));
  return grew.filter(({ by }) => by > 0);
};
