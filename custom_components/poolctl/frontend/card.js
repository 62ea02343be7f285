// What all cards share: their configuration, when they are drawn anew, and their look.

import { around } from "./day.js";
import { h, patch } from "./dom.js";
import { MINUTE, hourOfDay, zoneOf } from "./format.js";
import { controllers, picture } from "./pool.js";
import { fill, load, words } from "./words.js";

// While it starts, the frontend replaces the registry of elements; those defined before
// are lost. So wait until its own element, or that of the cast page, is defined.
await Promise.race(["home-assistant", "hc-main"].map((name) => customElements.whenDefined(name)));

const STYLE = `
  :host { display: block; height: 100%; }
  ha-card { height: 100%; box-sizing: border-box; padding: 16px; overflow: hidden; color: var(--primary-text-color); }
  h2 { margin: 0 0 12px; font-size: 16px; font-weight: 500; line-height: 24px; }
  p { margin: 0; }
  .soft { color: var(--secondary-text-color); font-size: 14px; line-height: 20px; }
  .good { --rate: var(--success-color, #43a047); }
  .fair { --rate: var(--warning-color, #ffa600); }
  .poor { --rate: var(--error-color, #db4437); }
  .none { --rate: var(--disabled-text-color, #9e9e9e); }
  button { font: inherit; color: inherit; border: 0; cursor: pointer; background: none; padding: 0; text-align: start; -webkit-tap-highlight-color: transparent; }
  button:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--primary-color); outline-offset: 2px; }
  button[disabled] { cursor: default; opacity: 0.5; }
  .action { min-height: 44px; padding: 8px 16px; border-radius: 20px; text-align: center; font-weight: 500; line-height: 20px; background: rgba(var(--rgb-primary-text-color), 0.08); }
  .action:hover { background: rgba(var(--rgb-primary-text-color), 0.14); }
  .action.primary { background: rgba(var(--rgb-primary-color), 0.2); box-shadow: inset 0 0 0 2px var(--primary-color); }
  .heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .action.plain { background: none; }
  dialog { border: 0; border-radius: 24px; padding: 24px; max-width: min(400px, calc(100vw - 32px)); box-sizing: border-box; color: var(--primary-text-color); background: var(--ha-dialog-surface-background, var(--card-background-color, #fff)); }
  dialog::backdrop { background: rgba(0, 0, 0, 0.5); }
  dialog h2 { font-size: 20px; line-height: 28px; }
  dialog .actions { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 16px; }
  dialog .group { margin-top: 16px; }
  dialog .actions input, dialog .actions select { font: inherit; color: inherit; min-height: 44px; padding: 8px; box-sizing: border-box; border: 1px solid var(--divider-color, #ccc); border-radius: 8px; background: none; color-scheme: inherit; }
  dialog option { color: var(--primary-text-color); background: var(--card-background-color, #fff); }
  @media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
`;

/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {{ entity_id: string, name: string, start: string, end: string, until: string | null }} Planned A run of a schedule. */

/** @typedef {{ label: string, run?: () => unknown, look?: string }} Answer A button of a dialog. */
/** @typedef {{ title: string, text: string, fields?: import("./dom.js").Tree[], groups: { title?: string, answers: Answer[] }[] }} Question */

/** Whether an output is held on or off. @type {(entity: import("./pool.js").Entity) => boolean} */
export const heldByHand = ({ state }) => state.attributes.held_by_hand === true;

/** @type {{ of: string, runs: Promise<Planned[]> }} The plan of a week that cards share, and what it depends on. */
let shared = { of: "", runs: Promise.resolve([]) };

/** A card of one pool. A card says what it shows in `draw`. */
export class PoolCard extends HTMLElement {
  root = this.attachShadow({ mode: "open" });
  /** @type {CardConfig} */
  config = { type: "" };
  /** @type {Hass | undefined} */
  hassNow;
  /** @type {Pool | undefined} */
  pool;
  /** @type {unknown[]} */
  drawnFrom = [];
  /** @type {Planned[]} */
  plan = [];
  planOf = "";
  /** When it last saw everything, in ms; 0 while it does not. */
  seenAt = 0;
  /** How often it missed something: what it asked for before is not all that happened. */
  gaps = 0;
  /** @type {((pool: Pool) => Question | undefined) | undefined} What stands above the page: a question or a choice. */
  asked;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  timer;

  /** The look of one kind of card, and what is around it. */
  static style = "";
  static frame = "ha-card";

  /** @param {CardConfig} config */
  setConfig(config) {
    this.config = config;
    this.drawnFrom = [];
    this.look();
  }

  /** @param {Hass} hass */
  set hass(hass) {
    this.hassNow = hass;
    this.look();
  }

  get hass() {
    return /** @type {Hass} */ (this.hassNow);
  }

  connectedCallback() {
    // Ages and the line of now move on although nothing changes.
    this.timer = setInterval(() => (this.look(), this.show()), MINUTE);
    document.addEventListener("visibilitychange", this.look);
    this.look();
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.look);
    this.seenAt = 0;
  }

  get text() {
    return words(this.hass.language);
  }

  /** Draw the card if anything differs that it may show. */
  look = () => {
    if (!this.hassNow || !this.isConnected) {
      return;
    }
    this.watch();
    const pool = picture(this.hass, this.config.device_id);
    const { entities, devices, locale, language, config } = this.hass;
    const from = [this.gaps, entities, devices, locale, language, config.unit_system, ...pool.entities.map(({ state }) => state)];
    if (from.length !== this.drawnFrom.length || from.some((each, at) => each !== this.drawnFrom[at])) {
      this.drawnFrom = from;
      this.pool = pool;
      this.askPlan(pool);
      this.changed(pool);
      Promise.all([language, config.language].map((each) => load(each, this.hass.callWS))).then(() => this.show());
    }
  };

  /** Notice that the page was hidden, asleep or without its connection. */
  watch() {
    const sees = !document.hidden && this.hass.connected !== false;
    const now = Date.now();
    this.gaps += Number(sees && now - this.seenAt > 2 * MINUTE);
    this.seenAt = sees ? now : 0;
  }

  /** @param {Pool} pool Ask for the runs of today and of the next week where schedules may have changed. */
  async askPlan(pool) {
    const zone = zoneOf(this.hass);
    const [start, end] = [0, 8 * 24].map((hour) => new Date(hourOfDay(Date.now(), zone, hour)).toISOString());
    const states = pool.entities.filter(({ key }) => key.includes("schedule")).map(({ id, state }) => id + state.last_updated);
    const planOf = [pool.id, start, ...states].join();
    if (this.planOf === planOf) {
      return;
    }
    this.planOf = planOf;
    if (shared.of !== planOf) {
      const asked = this.hass.callWS({ type: "poolctl/plan", device_id: pool.id, start, end });
      shared = { of: planOf, runs: asked.then(({ runs }) => runs) };
    }
    this.plan = await shared.runs.catch(() => {
      // The connection may be lost: the next state asks again.
      this.planOf = shared.of = "";
      return [];
    });
    this.show();
  }

  /** @param {import("./pool.js").Entity} entity The runs of an output, in ms. */
  planned({ id }) {
    return this.plan.filter((run) => run.entity_id === id).map(({ name, start, end, until }) => ({ name, from: Date.parse(start), to: Date.parse(end), until: until ? Date.parse(until) : undefined }));
  }

  /** @param {import("./pool.js").Entity} entity When what an output does ends by itself, as its explanation rounds it. @returns {number | undefined} */
  endOf(entity) {
    const { timer_ends: timer, held_until: held, held_by_hand: byHand, mode } = entity.state.attributes;
    if (timer || held) {
      return Math.round(Date.parse(timer ?? held) / MINUTE) * MINUTE;
    }
    return !byHand && mode === "schedule" ? around(this.planned(entity)).end : undefined;
  }

  /** @param {Pool} _pool Called before the card is drawn with other states. */
  changed(_pool) {}

  show() {
    if (!this.pool || !this.text.pool) {
      return;
    }
    const { style, frame: tag } = /** @type {typeof PoolCard} */ (this.constructor);
    const focused = this.root.activeElement;
    const content = this.complaint(this.pool) ?? this.draw(this.pool);
    // A sheet that is constructed is unknown to the browsers of older tablets.
    patch(this.root, [h("style", null, STYLE + style), h(tag, null, content), this.dialog(this.asked?.(this.pool))].flat());
    const dialog = this.root.querySelector("dialog");
    if (dialog && !dialog.open && dialog.isConnected) {
      dialog.showModal();
    } else if (focused instanceof HTMLElement && !this.root.activeElement) {
      this.refocus(focused);
    }
  }

  /** @param {Pool} pool Which pool or content there is not. @returns {any} */
  complaint(pool) {
    const { contents } = /** @type {typeof PoolCard} */ (this.constructor);
    const wrong = (this.config.show ?? []).filter((content) => contents.length && !contents.includes(content));
    const name = pool.entities.length ? wrong.length && `show: ${wrong.join(", ")}` : `device_id: ${this.config.device_id}`;
    return name ? h("p", { class: "soft" }, controllers(this.hass).length ? fill(this.text.not_found, { name }) : this.text.none) : undefined;
  }

  /** @param {HTMLElement} focused What lost the focus because it was moved. */
  refocus(focused) {
    const moved = [...this.root.querySelectorAll("button")].find((one) => one === focused || (one.dataset.focus && one.dataset.focus === focused.dataset.focus));
    moved?.focus();
  }

  /** @param {Pool} _pool @returns {any} */
  draw(_pool) {}

  /** @param {PoolCard["asked"]} question What can be chosen: it is drawn anew with the card. */
  ask(question) {
    this.asked = question;
    this.show();
  }

  /** @param {Question | undefined} question @returns {import("./dom.js").Tree | []} */
  dialog(question) {
    if (!question) {
      return [];
    }
    const { title, text, fields, groups } = question;
    const close = () => this.ask(undefined);
    return h(
      "dialog",
      { key: title, "aria-label": title, onclose: close, onclick: (/** @type {Event} */ event) => event.target instanceof HTMLDialogElement && close() },
      h("h2", null, title),
      text && h("p", { class: "soft" }, text),
      fields && h("div", { class: "actions" }, fields),
      groups.map((group) =>
        h(
          "div",
          { class: "group", role: "group", "aria-label": group.title ?? title },
          group.title && h("p", { class: "soft" }, group.title),
          h("div", { class: "actions" }, group.answers.map(({ label, run, look = run ? "" : "plain" }) => h("button", { class: `action ${look}`, key: label, onclick: () => (close(), run?.()) }, label))),
        ),
      ),
    );
  }

  /** @param {Pool} pool @param {import("./pool.js").Entity} button What opens a button that first states its effect, in the language of the page. */
  confirming(pool, button) {
    const label = this.hass.localize(`component.poolctl.entity.button.${button.key}.name`) || pool.named(button);
    const press = { label, look: "primary", run: () => this.perform("button.press", button.id) };
    const onclick = () => this.ask((now) => ({ title: label, text: this.effect(now, button), groups: [{ answers: [press, { label: this.text.cancel }] }] }));
    return { label, props: { key: button.id, disabled: button.state.state === "unavailable", "aria-haspopup": "dialog", onclick } };
  }

  /** @param {Pool} pool @param {import("./pool.js").Entity} button What happens when it is pressed. */
  effect(pool, { key }) {
    const { text } = this;
    const refilled = fill(text.refilled, { size: pool.text(pool.one("number", key.replace(/^mark_(.*)_full$/, "$1_size"))) });
    const names = pool.outputs.filter(heldByHand).map((entity) => pool.named(entity));
    /** @type {Record<string, string>} */
    const effects = { mark_filter_clean: text.cleaned, mark_acid_drum_full: refilled, mark_chlorine_drum_full: refilled, resume_schedules: fill(text.gives_back, { names: names.join(", ") }) };
    return effects[key] ?? "";
  }

  /** Perform an action on entities; Home Assistant itself shows why one is refused. @param {string} action @param {string | string[]} entityId @param {Record<string, unknown>} [data] */
  async perform(action, entityId, data) {
    const [domain, service] = action.split(".");
    await this.hass.callService(domain, service, data, { entity_id: entityId }).catch(() => {});
  }

  /** @param {string} entityId Open Home Assistant's own dialog of an entity. */
  more(entityId) {
    this.dispatchEvent(new CustomEvent("hass-more-info", { detail: { entityId }, bubbles: true, composed: true }));
  }

  getCardSize() {
    return 4;
  }

  getGridOptions() {
    return { columns: 12, rows: "auto", min_columns: /** @type {typeof PoolCard} */ (this.constructor).minColumns };
  }

  /** @param {Hass} hass */
  static getStubConfig(hass) {
    return { device_id: controllers(hass)[0]?.id };
  }

  /** How many of the twelve columns of a phone it needs. */
  static minColumns = 6;

  /** What may be left out, by its name in the configuration; nothing by default. @type {string[]} */
  static contents = [];

  static getConfigForm() {
    const text = words(document.documentElement.lang);
    /** @type {Record<string, any>[]} */
    const schema = [{ name: "device_id", selector: { device: { integration: "poolctl", filter: { integration: "poolctl", model: "Pool controller" } } } }];
    if (this.contents.length) {
      const options = this.contents.map((value) => ({ value, label: text[`part_${value}`] ?? value }));
      schema.push({ name: "show", selector: { select: { multiple: true, options } } });
    }
    return {
      schema,
      /** @param {{ name: string }} field */
      computeLabel: ({ name }) => (name === "device_id" ? text.pool : text.show),
    };
  }

  /** @param {string} content Whether it is to be shown: everything is, unless something was chosen. */
  shows(content) {
    return !this.config.show?.length || this.config.show.includes(content);
  }
}
