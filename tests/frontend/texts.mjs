// What Home Assistant answers when the frontend asks for texts.

import { readFileSync } from "node:fs";

const FOLDER = new URL("../../custom_components/poolctl/translations/", import.meta.url);

export const texts = async ({ language, category }) => {
  const found = JSON.parse(readFileSync(new URL(`${language}.json`, FOLDER), "utf8"))[category];
  return { resources: Object.fromEntries(Object.entries(found).map(([key, text]) => [`component.poolctl.${category}.${key}`, text])) };
};
