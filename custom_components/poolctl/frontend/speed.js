// The target speed of a pump as a bar from 0, so that its lowest speed does not look like off. It is
// a feature of Home Assistant's tile; what is below the range of the entity is hatched.

import { h, patch } from "./dom.js";
import { known } from "./pool.js";

const STYLE = `
  label { position: relative; display: block; height: 42px; border-radius: 12px; overflow: hidden; background: color-mix(in srgb, var(--primary-color) 20%, transparent); }
  label:focus-within { outline: 2px solid var(--primary-color); outline-offset: 2px; }
  span { position: absolute; inset-block: 0; inset-inline-start: 0; }
  .at { background: var(--primary-color); }
  .below { background: repeating-linear-gradient(135deg, transparent 0 6px, color-mix(in srgb, var(--primary-text-color) 25%, transparent) 6px 8px); }
  input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
  input:disabled { cursor: default; }
`;

export class PoolSpeed extends HTMLElement {
  entityId = "";
  /** @type {Hass | undefined} */
  hassNow;

  constructor() {
    super();
    this.root = this.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    this.root.adoptedStyleSheets = [style];
  }

  setConfig() {}

  /** @param {{ entity_id?: string } | undefined} context */
  set context(context) {
    this.entityId = context?.entity_id ?? "";
    this.show();
  }

  /** @param {Hass} hass */
  set hass(hass) {
    this.hassNow = hass;
    this.show();
  }

  show() {
    const { hassNow: hass, entityId } = this;
    const state = hass?.states[entityId];
    if (!hass || !state) {
      return;
    }
    const { min, max, step, friendly_name: name } = state.attributes;
    const share = (/** @type {unknown} */ value) => ({ style: `width: ${(Number(value) / max) * 100 || 0}%` });
    const set = (/** @type {Event & { target: HTMLInputElement }} */ { target }) => {
      const value = Math.max(Number(target.value), min);
      target.value = String(value);
      hass.callService("number", "set_value", { value }, { entity_id: entityId }).catch(() => {});
    };
    const input = { type: "range", min: 0, max, step, "aria-label": name, disabled: !known(state), value: state.state, onchange: set };
    patch(this.root, [h("label", null, h("span", { class: "at", ...share(state.state) }), h("span", { class: "below", ...share(min) }), h("input", input))]);
  }
}
