// The texts of the cards: those of the integration's translations, in the language of the page.

const PATH = "component.poolctl.common.";

/** @typedef {Record<string, string>} Words Texts by their keys; those of cards without `card_`. */

/** @type {Record<string, Words>} By the language of a page. */
const loaded = {};

/** @type {Record<string, Promise<Words>>} */
const asked = {};

/** Return the texts of a language such as "en-GB"; there are none before they were loaded. @type {(language: string) => Words} */
export const words = (language) => loaded[language] ?? {};

/** Load the texts of a language; English has those that are missing. @type {(language: string, callWS: Hass["callWS"]) => Promise<Words>} */
export const load = (language, callWS) => (asked[language] ??= read(language, callWS));

/** @type {typeof load} */
async function read(language, callWS) {
  const [base] = language.split("-");
  const message = { type: "frontend/get_translations", language: base === "pt" ? "pt-BR" : base, category: "common", integration: ["poolctl"] };
  try {
    const { resources } = await callWS(message);
    const texts = Object.entries(resources).map(([key, text]) => [key.slice(PATH.length).replace(/^card_/, ""), text]);
    return (loaded[language] = Object.fromEntries(texts));
  } catch {
    // The connection may be lost: the next card asks again.
    delete asked[language];
    return {};
  }
}

/** Put values into a text: "until {time}". @type {(text: string, values: Record<string, string>) => string} */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);
