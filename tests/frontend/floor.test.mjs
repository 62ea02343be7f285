// Wall tablets keep old browsers: the cards need no more than Safari 15.4 or Chrome 89. Newer methods
// are found by the types (`lib` in tsconfig.json), the rest here.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../custom_components/poolctl/frontend/", import.meta.url);
const NEWER = {
  "sheets that are constructed (16.4)": /CSSStyleSheet|adoptedStyleSheets/,
  "lookbehind (16.4)": /\(\?<[=!]/,
  "color-mix (16.2)": /color-mix/,
  "container queries (16.0)": /@container|container-type/,
  "static blocks (16.4)": /static\s*\{/,
  "structuredClone (15.4)": /structuredClone/,
  "nesting of styles (17.2)": /^\s*&/m,
  "text-wrap (17.5)": /text-wrap/,
  "popover (17)": /popover/,
};

for (const [name, pattern] of Object.entries(NEWER)) {
  test(`no ${name}`, () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".js"));
    assert.deepEqual(files.filter((file) => pattern.test(readFileSync(new URL(file, FOLDER), "utf8"))), []);
  });
}
