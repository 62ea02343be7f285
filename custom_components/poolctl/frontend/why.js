// Why a thermostat does not heat, below its tile: a feature of Home Assistant's card.

import { PoolCard } from "./card.js";
import { h } from "./dom.js";

export class PoolWhy extends PoolCard {
  static frame = "div";
  static style = "p { padding: 0 4px; }";

  /** @param {import("./pool.js").Pool} pool */
  draw(pool) {
    const entity = pool.entities.find(({ id }) => id === this.config.entity_id);
    return h("p", { class: "soft" }, pool.why(entity));
  }
}
