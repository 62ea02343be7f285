// What runs and until when, then what is used; a tap switches, a long press or the dots hold.

import { PoolCard, heldByHand } from "./card.js";
import { around } from "./day.js";
import { h } from "./dom.js";
import { MINUTE, degrees, duration, moment } from "./format.js";
import { kindOf, known } from "./pool.js";
import { fill } from "./words.js";

const LONG_PRESS = 500;
const KINDS = /** @type {const} */ (["pump", "spa", "lights", "outputs"]);

/** @typedef {import("./pool.js").Entity} Entity */
/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {import("./card.js").Answer} Answer */

const runs = (/** @type {Entity} */ { state }) => state.state === "on";

export class PoolOutputs extends PoolCard {
  static contents = [...KINDS];
  static style = `
    .list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, max(140px, min(40%, 200px))), 1fr)); gap: 8px; }
    .row { display: flex; align-items: stretch; border-radius: 12px; background: rgba(var(--rgb-primary-text-color), 0.05); }
    .row.on { background: rgba(var(--rgb-primary-color), 0.22); }
    .row.held { box-shadow: inset 0 0 0 2px var(--primary-color); }
    .pump { grid-column: 1 / -1; flex-wrap: wrap; }
    .pump .switch { flex-basis: min(170px, calc(100% - 44px)); }
    .speed { flex: 1 1 150px; min-width: 0; display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; padding: 8px 12px; font-size: 14px; }
    .presets { display: flex; flex-wrap: wrap; flex: 1 1 120px; gap: 4px; }
    .presets .action { flex: 1; padding: 8px 4px; border-radius: 12px; font-size: 14px; }
    .presets .action[aria-pressed="true"] { box-shadow: inset 0 0 0 2px var(--primary-color); }
    .speed label { position: relative; flex: 1 1 120px; height: 44px; border-radius: 12px; overflow: hidden; background: rgba(var(--rgb-primary-color), 0.2); }
    .speed label:focus-within { outline: 2px solid var(--primary-color); outline-offset: 2px; }
    .speed label span { position: absolute; inset-block: 0; inset-inline-start: 0; }
    .at { background: var(--primary-color); }
    .below { background: repeating-linear-gradient(135deg, transparent 0 6px, rgba(var(--rgb-primary-text-color), 0.25) 6px 8px); }
    input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
    input:disabled { cursor: default; }
    .switch { flex: 1; min-width: 0; display: flex; gap: 8px; align-items: center; padding: 6px 0 6px 8px; min-height: 48px; box-sizing: border-box; border-radius: 12px; touch-action: manipulation; user-select: none; -webkit-touch-callout: none; }
    .switch ha-state-icon { --mdc-icon-size: 24px; flex: none; color: var(--secondary-text-color); }
    .on .switch ha-state-icon { color: var(--primary-color); }
    .name { display: block; font-weight: 500; font-size: 14px; line-height: 20px; overflow-wrap: anywhere; }
    .state { display: block; font-size: 12px; line-height: 16px; }
    .menu { width: 44px; flex: none; border-radius: 12px; display: grid; place-items: center; color: var(--secondary-text-color); }
    .more { flex: 1; min-height: 44px; display: flex; align-items: center; gap: 8px; font-size: 14px; border-radius: 12px; }
    .foot { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }
  `;

  open = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  press;
  held = false;

  /** @param {Pool} pool */
  draw(pool) {
    const outputs = pool.outputs.filter((entity) => this.shows(kindOf(entity)));
    const place = (/** @type {Entity} */ entity) => (kindOf(entity) === "pump" ? 0 : runs(entity) ? 1 : 2) * KINDS.length + KINDS.indexOf(kindOf(entity));
    outputs.sort((one, other) => place(one) - place(other));
    const idle = outputs.filter((entity) => kindOf(entity) === "outputs" && !runs(entity) && !heldByHand(entity) && !this.planned(entity).length);
    const shown = this.open ? outputs : outputs.filter((entity) => !idle.includes(entity));
    return [
      h("h2", null, this.text.outputs),
      h("div", { class: "list" }, shown.map((entity) => this.row(pool, entity))),
      h("div", { class: "foot" }, idle.length > 0 && this.rest(idle), this.resume(pool, outputs)),
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
    const can = known(pool.connection?.state) && !pool.throughCloud && outputs.some(heldByHand);
    const { label, props } = resume && can ? this.confirming(pool, resume) : { label: "", props: {} };
    return label && h("button", { ...props, class: "action" }, label);
  }

  /** @param {Pool} pool @param {Entity} entity */
  row(pool, entity) {
    const { id, state } = entity;
    const name = pool.named(entity);
    const on = runs(entity);
    const off = !known(state);
    return h(
      "div",
      { key: id, class: ["row", kindOf(entity), on && "on", heldByHand(entity) && "held"].filter(Boolean).join(" ") },
      h(
        "button",
        { class: "switch", role: "switch", "aria-checked": String(on), disabled: off, "data-focus": id, ...this.pressed(entity) },
        h("ha-state-icon", { hass: this.hass, stateObj: state, "aria-hidden": "true" }),
        h("span", null, h("span", { class: "name" }, name), h("span", { class: "state" }, this.says(pool, entity)), this.last(pool, entity)),
      ),
      h(
        "button",
        { class: "menu", "data-focus": `${id} menu`, "aria-haspopup": "dialog", "aria-label": fill(this.text.hold_name, { name }), disabled: off, onclick: () => this.offer(entity) },
        h("ha-icon", { icon: "mdi:dots-vertical", "aria-hidden": "true" }),
      ),
      kindOf(entity) === "pump" && this.pump(pool),
    );
  }

  /** @param {Pool} pool The speed of the pump, and what it draws and moves. */
  pump(pool) {
    const speed = pool.one("number", "pump_target_speed");
    const facts = [...(speed ? [speed] : []), ...pool.all("sensor", "pump_power", "flow_rate")].filter(({ state }) => known(state));
    return (speed || facts.length > 0) && h("div", { class: "speed" }, speed && [this.bar(pool, speed), this.presets(pool, speed)], h("span", { class: "soft" }, facts.map((entity) => pool.text(entity)).join(" · ")));
  }

  /** @param {Pool} pool @param {Entity} speed The speeds that have names. */
  presets(pool, speed) {
    const named = Object.entries(pool.one("switch", "pump")?.state.attributes.speeds ?? {});
    const now = pool.numbered(speed);
    return named.length > 0 && h(
      "div",
      { class: "presets", role: "group", "aria-label": pool.named(speed) },
      named.map(([name, value]) => {
        const set = () => this.perform("number.set_value", speed.id, { value });
        return h("button", { key: name, class: "action", "aria-pressed": String(value === now), disabled: !known(speed.state), onclick: set }, this.text[`speed_${name}`] ?? name);
      }),
    );
  }

  /** @param {Pool} pool @param {Entity} speed A bar from 0, so that the lowest speed does not look like off; what is below it is hatched. */
  bar(pool, speed) {
    const { min, max, step } = speed.state.attributes;
    const share = (/** @type {number} */ value) => ({ style: `width: ${(value / max) * 100 || 0}%` });
    const set = (/** @type {Event & { target: HTMLInputElement }} */ { target }) => {
      const value = Math.max(Number(target.value), min);
      target.value = String(value);
      return this.perform("number.set_value", speed.id, { value });
    };
    const input = { type: "range", min: 0, max, step, "aria-label": pool.named(speed), disabled: !known(speed.state), value: speed.state.state, onchange: set };
    return h("label", null, h("span", { class: "at", ...share(pool.numbered(speed)) }), h("span", { class: "below", ...share(min) }), h("input", input));
  }

  /** @param {Pool} pool @param {Entity} entity How warm a spa was last, and when. */
  last(pool, { key }) {
    const { last_temperature: value, measured_at: at } = (key === "spa_mode" && pool.one("climate", "spa_heating")?.state.attributes) || {};
    return at && h("span", { class: "state soft" }, `${degrees(this.hass, value)} ${fill(this.text.at, { time: moment(this.hass, Date.parse(at)) })}`);
  }

  /** @param {Entity} entity A tap switches, a long press offers to hold. */
  pressed(entity) {
    const end = () => clearTimeout(this.press);
    return {
      onpointerdown: (/** @type {PointerEvent} */ event) => {
        this.held = false;
        end();
        if (event.button === 0) {
          this.press = setTimeout(() => ((this.held = true), this.offer(entity)), LONG_PRESS);
        }
      },
      onpointerup: end,
      onpointercancel: end,
      onpointerleave: end,
      oncontextmenu: (/** @type {Event} */ event) => event.preventDefault(),
      onclick: () => (this.held ? (this.held = false) : this.turn(entity, runs(entity) ? "off" : "on")()),
    };
  }

  /** @param {Entity} entity Offer what can be done with it, until that changes. */
  offer({ id }) {
    this.ask((pool) => pool.entities.filter((each) => each.id === id).map((entity) => this.choices(pool, entity))[0]);
  }

  /** @param {Pool} pool @param {Entity} entity What can be done with it now. */
  choices(pool, entity) {
    const { text } = this;
    const groups = [
      { title: text.keep_on, answers: this.keep(entity, true) },
      { title: text.keep_off, answers: pool.throughCloud ? [] : this.keep(entity, false) },
      {
        answers: [
          ...(heldByHand(entity) && !pool.throughCloud ? [{ label: text.give_back, look: "primary", run: () => this.perform("poolctl.resume_schedule", entity.id) }] : []),
          { label: text.details, look: "plain", run: () => this.more(entity.id) },
          { label: text.cancel },
        ],
      },
    ];
    return { title: pool.named(entity), text: pool.why(entity) || this.says(pool, entity), groups: groups.filter(({ answers }) => answers.length) };
  }

  /** @param {Entity} entity @param {boolean} state How it can be kept on or off. @returns {Answer[]} */
  keep(entity, state) {
    const plan = this.planned(entity);
    const { end, next } = around(plan);
    const hold = (/** @type {number} */ ms) => this.perform("poolctl.hold", entity.id, { state, duration: { seconds: Math.round(ms / 1000) } });
    const times = [30 * MINUTE, 120 * MINUTE].map((ms) => ({ label: duration(this.hass, ms), run: () => hold(ms) }));
    // Why it runs has the same end already.
    const named = (/** @type {number} */ at) => (at === this.endOf(entity) ? this.text.until_end : fill(this.text.until_schedule, { time: moment(this.hass, at) }));
    const until = (/** @type {number} */ at, run = () => hold(at - Date.now())) => ({ label: named(at), run });
    const scheduled = end ? [until(end)] : !state && runs(entity) && next ? [until(next, this.turn(entity, "off"))] : [];
    if (state) {
      return [...times, ...scheduled, { label: this.text.until_given_back, run: this.turn(entity, "on") }];
    }
    // Without a schedule, nothing would switch it on that a hold could keep off.
    return plan.length ? [...times, ...scheduled] : [];
  }

  /** @param {Entity} entity @param {"on" | "off"} how */
  turn({ id, domain }, how) {
    return () => this.perform(`${domain}.turn_${how}`, id);
  }

  /** @param {Pool} pool @param {Entity} entity What runs it and until when, in a few words. */
  says(pool, entity) {
    const { text } = this;
    const { mode, schedule } = entity.state.attributes;
    const end = this.endOf(entity);
    const status = pool.one("sensor", "pump_status");
    // A pump that was switched off may run on, to cool the heater.
    const runsOn = kindOf(entity) === "pump" && status?.state.state === "cooling_down";
    const what = [
      pool.text(runsOn ? status : entity),
      heldByHand(entity) ? text.by_hand : mode === "schedule" && schedule,
      end && fill(text.until, { time: moment(this.hass, end) }),
    ];
    return what.filter(Boolean).join(" · ");
  }
}
