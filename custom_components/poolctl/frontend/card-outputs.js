// What runs and until when, then what is used; a tap switches, a long press or the dots hold.

import { PoolCard } from "./card.js";
import { h } from "./dom.js";
import { duration, moment, number, retimed } from "./format.js";
import { kindOf, known } from "./pool.js";
import { fill } from "./words.js";

const LONG_PRESS = 500;
const KINDS = /** @type {const} */ (["pump", "spa", "lights", "outputs"]);

/** @typedef {import("./pool.js").Entity} Entity */
/** @typedef {import("./pool.js").Pool} Pool */

const runs = (/** @type {Entity} */ { state }) => state?.state === "on";
const held = (/** @type {Entity} */ { state }) => state?.attributes.held_by_hand === true;

export class PoolOutputs extends PoolCard {
  static contents = [...KINDS];
  static style = `
    .list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 210px), 1fr)); gap: 8px; }
    .list + .list { margin-top: 8px; }
    .list.off { grid-template-columns: repeat(auto-fill, minmax(min(100%, 150px), 1fr)); }
    .off .switch { gap: 8px; padding-inline-start: 8px; }
    .off .menu { width: 32px; }
    .row { display: flex; align-items: stretch; border-radius: 12px; background: color-mix(in srgb, var(--primary-text-color) 5%, transparent); }
    .row.on { background: color-mix(in srgb, var(--primary-color) 22%, transparent); }
    .row.held { box-shadow: inset 0 0 0 2px var(--primary-color); }
    .switch { flex: 1; min-width: 0; display: flex; gap: 12px; align-items: center; padding: 6px 0 6px 12px; min-height: 48px; box-sizing: border-box; border-radius: 12px; touch-action: manipulation; user-select: none; -webkit-touch-callout: none; }
    .switch ha-state-icon { --mdc-icon-size: 24px; flex: none; color: var(--secondary-text-color); }
    .on .switch ha-state-icon { color: var(--primary-color); }
    .name { display: block; font-weight: 500; font-size: 14px; line-height: 20px; overflow-wrap: anywhere; }
    .state { display: block; font-size: 12px; line-height: 16px; }
    .menu { width: 40px; border-radius: 12px; display: grid; place-items: center; color: var(--secondary-text-color); }
    .more { flex: 1; min-height: 40px; display: flex; align-items: center; gap: 8px; font-size: 14px; border-radius: 12px; }
    .foot { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }
  `;

  open = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  press;
  held = false;

  /** @param {Pool} pool */
  draw(pool) {
    const outputs = pool.outputs.filter((entity) => this.shows(kindOf(entity)));
    outputs.sort((one, other) => Number(runs(other)) - Number(runs(one)) || KINDS.indexOf(kindOf(one)) - KINDS.indexOf(kindOf(other)));
    const first = outputs.filter((entity) => runs(entity) || held(entity));
    const others = outputs.filter((entity) => !first.includes(entity));
    const used = others.filter((entity) => kindOf(entity) !== "outputs" || this.planned(entity).length > 0);
    const idle = others.filter((entity) => !used.includes(entity));
    return [
      h("h2", null, this.text.outputs),
      first.length > 0 && h("div", { key: "first", class: "list" }, first.map((entity) => this.row(pool, entity))),
      used.length > 0 && h("div", { key: "used", class: "list off" }, used.map((entity) => this.row(pool, entity))),
      h("div", { key: "foot", class: "foot" }, idle.length > 0 && this.rest(idle), this.resume(pool, outputs)),
      this.open && h("div", { key: "idle", class: "list off" }, idle.map((entity) => this.row(pool, entity))),
    ];
  }

  /** @param {Entity[]} idle */
  rest(idle) {
    const icon = this.open ? "mdi:chevron-up" : "mdi:chevron-down";
    const toggle = () => ((this.open = !this.open), this.show());
    return h(
      "button",
      { class: "more", "aria-expanded": String(this.open), onclick: toggle },
      h("ha-icon", { icon, "aria-hidden": "true" }),
      fill(this.text.idle, { number: String(idle.length) }),
    );
  }

  /** @param {Pool} pool @param {Entity[]} outputs What gives all of them back at once. */
  resume(pool, outputs) {
    const resume = pool.one("button", "resume_schedules");
    const names = outputs.filter(held).map((entity) => pool.named(entity));
    if (!resume || !known(pool.connection?.state) || pool.throughCloud || !names.length) {
      return null;
    }
    return this.confirmed(pool, resume, fill(this.text.gives_back, { names: names.join(", ") }));
  }

  /** @param {Pool} pool @param {Entity} entity */
  row(pool, entity) {
    const { id, state } = entity;
    const name = pool.named(entity);
    const on = runs(entity);
    const off = !known(state);
    return h(
      "div",
      { key: id, class: ["row", on && "on", held(entity) && "held"].filter(Boolean).join(" ") },
      h(
        "button",
        { class: "switch", role: "switch", "aria-checked": String(on), disabled: off, "data-focus": id, ...this.pressed(pool, entity) },
        h("ha-state-icon", { hass: this.hass, stateObj: state, "aria-hidden": "true" }),
        h("span", null, h("span", { class: "name" }, name), h("span", { class: "state" }, this.says(pool, entity)), this.last(pool, entity)),
      ),
      h(
        "button",
        { class: "menu", "data-focus": `${id} menu`, "aria-haspopup": "dialog", "aria-label": fill(this.text.hold_name, { name }), disabled: off, onclick: () => this.offer(pool, entity) },
        h("ha-icon", { icon: "mdi:dots-vertical", "aria-hidden": "true" }),
      ),
    );
  }

  /** @param {Pool} pool @param {Entity} entity How warm a spa was last, and when. */
  last(pool, { key }) {
    const { last_temperature: value, measured_at: at } = (key === "spa_mode" && pool.one("climate", "spa")?.state?.attributes) || {};
    const degrees = at && `${number(this.hass, value, 1)} ${this.hass.config.unit_system.temperature}`;
    return at && h("span", { class: "state soft" }, `${degrees} ${fill(this.text.at, { time: moment(this.hass, Date.parse(at)) })}`);
  }

  /** @param {Pool} pool @param {Entity} entity A tap switches, a long press offers to hold. */
  pressed(pool, entity) {
    const end = () => clearTimeout(this.press);
    return {
      onpointerdown: (/** @type {PointerEvent} */ event) => {
        this.held = false;
        end();
        if (event.button === 0) {
          this.press = setTimeout(() => ((this.held = true), this.offer(pool, entity)), LONG_PRESS);
        }
      },
      onpointerup: end,
      onpointercancel: end,
      onpointerleave: end,
      oncontextmenu: (/** @type {Event} */ event) => event.preventDefault(),
      onclick: () => {
        const wasHeld = this.held;
        this.held = false;
        if (!wasHeld) {
          this.perform(`${entity.domain}.${runs(entity) ? "turn_off" : "turn_on"}`, entity.id);
        }
      },
    };
  }

  /** @param {Pool} pool @param {Entity} entity */
  offer(pool, entity) {
    const { text } = this;
    const hold = (/** @type {boolean} */ state, /** @type {number} */ minutes) => () =>
      this.perform("poolctl.hold", entity.id, { state, duration: { minutes } });
    const turn = (/** @type {string} */ how) => () => this.perform(`${entity.domain}.turn_${how}`, entity.id);
    const times = (/** @type {boolean} */ on) =>
      [30, 120].map((minutes) => ({ label: duration(this.hass, minutes * 60_000), run: hold(on, minutes) }));
    this.ask(pool.named(entity), retimed(this.hass, entity.state?.attributes.explanation ?? "") || this.says(pool, entity), [
      { title: text.keep_on, answers: [...times(true), { label: text.until_given_back, run: turn("on") }] },
      { title: text.keep_off, answers: [...(pool.throughCloud ? [] : times(false)), { label: this.planned(entity).length ? text.until_schedule : text.no_schedule, run: turn("off") }] },
      {
        answers: [
          ...(held(entity) ? [{ label: text.give_back, run: () => this.perform("poolctl.resume_schedule", entity.id) }] : []),
          { label: text.details, run: () => this.more(entity.id) },
          { label: text.cancel },
        ],
      },
    ]);
  }

  /** @param {Pool} pool @param {Entity} entity What runs it and until when, in a few words. */
  says(pool, entity) {
    const { text } = this;
    const { mode, schedule } = entity.state?.attributes ?? {};
    const end = this.endOf(entity);
    const what = [
      pool.text(entity),
      held(entity) ? text.by_hand : mode === "schedule" && schedule,
      end && fill(text.until, { time: moment(this.hass, end) }),
    ];
    return what.filter(Boolean).join(" · ");
  }
}
