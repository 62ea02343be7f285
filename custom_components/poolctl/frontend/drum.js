// What is left of a drum, as a feature of a tile: a bar and per cent of the drum's size,
// amber while nearly empty. Home Assistant's own bar knows only sizes that never change.
//
//   features:
//     - type: custom:poolctl-drum
//       size: number.home_pool_acid_drum
//       low: binary_sensor.home_pool_acid_nearly_empty

const STYLE = `
  :host { display: flex; align-items: center; gap: 12px; height: var(--feature-height, 42px); }
  .bar {
    flex: 1; height: 100%; overflow: hidden; position: relative;
    border-radius: var(--feature-border-radius, 12px);
  }
  .bar::before, .left { content: ""; position: absolute; inset: 0; background: var(--color); }
  .bar::before { opacity: 0.2; }
  .left { inset-inline-end: auto; transition: width 180ms ease-in-out; }
  .share { color: var(--primary-text-color); font-size: 14px; font-weight: 500; }
`;

class Drum extends HTMLElement {
  setConfig(config) {
    this.config = config;
  }

  set hass(hass) {
    this.known = hass;
    this.show();
  }

  /** The entity of the tile: { entity_id }. It is set after `hass`. */
  set context(context) {
    this.entity = context?.entity_id;
    this.show();
  }

  show() {
    const { states, locale } = this.known ?? {};
    const left = Number(states?.[this.entity]?.state);
    const share = left / Number(states?.[this.config?.size]?.state);
    const low = states?.[this.config?.low]?.state === "on";
    const key = [share, low, locale?.language].join();
    if (key === this.shown) {
      return;
    }
    this.shown = key;
    this.draw(share, low, locale?.language);
  }

  draw(share, low, language) {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    if (!Number.isFinite(share)) {
      root.replaceChildren();
      return;
    }
    const bounded = Math.min(Math.max(share, 0), 1);
    const text = new Intl.NumberFormat(language, { style: "percent" }).format(bounded);
    const color = low ? "var(--warning-color)" : "var(--feature-color)";
    root.innerHTML = `<style>${STYLE}</style>
      <div class="bar" style="--color: ${color}"><div class="left" style="width: ${bounded * 100}%"></div></div>
      <div class="share">${text}</div>`;
  }
}

customElements.define("poolctl-drum", Drum);
