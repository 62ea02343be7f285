// What is shown, as a tree of plain objects, and how a page comes to show it: only what
// differs is touched, so that focus, open dialogs and transitions outlive an update. Texts
// become text nodes, never HTML.

/** @typedef {{ tag: string, props: Record<string, any>, children: Child[] }} Tree */
/** @typedef {Tree | string} Child */

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const OF_SVG = new Set("svg g path rect line circle ellipse polyline text defs clipPath pattern".split(" "));

/** @type {WeakMap<Node, Tree | string>} What a node shows. */
const shown = new WeakMap();

/**
 * Describe an element. A function or an object among the properties is set as a property,
 * anything else as an attribute; `key` tells it from its siblings.
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...any} children
 * @returns {Tree}
 */
export const h = (tag, props, ...children) => ({
  tag,
  props: props ?? {},
  children: children
    .flat(3)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (typeof child === "object" ? child : String(child))),
});

/** Let an element contain what is described, and nothing else. @param {Element | ShadowRoot} parent @param {Child[]} children */
export function patch(parent, children) {
  const spare = [...parent.childNodes];
  const wanted = children.map((child) => {
    const at = spare.findIndex((node) => fits(shown.get(node), child));
    return update(at < 0 ? create(child) : spare.splice(at, 1)[0], child);
  });
  spare.forEach((node) => node.remove());
  wanted.forEach((node, at) => {
    if (parent.childNodes[at] !== node) {
      parent.insertBefore(node, parent.childNodes[at] ?? null);
    }
  });
}

/** @type {(old: Child | undefined, child: Child) => boolean} */
const fits = (old, child) =>
  typeof old === "object" && typeof child === "object"
    ? old.tag === child.tag && old.props.key === child.props.key
    : typeof old === typeof child;

/** @type {(child: Child) => Element | Text} */
const create = (child) =>
  typeof child === "string" ? document.createTextNode("") : document.createElementNS(OF_SVG.has(child.tag) ? SVG : HTML, child.tag);

/** @type {(node: any, child: Child) => ChildNode} */
function update(node, child) {
  const old = shown.get(node);
  shown.set(node, child);
  if (typeof child === "string") {
    if (old !== child) {
      node.data = child;
    }
    return node;
  }
  const before = typeof old === "object" ? old.props : {};
  for (const name of Object.keys({ ...before, ...child.props })) {
    if (before[name] !== child.props[name]) {
      set(node, name, child.props[name]);
    }
  }
  patch(node, child.children);
  return node;
}

/** @type {(node: any, name: string, value: any) => void} */
function set(node, name, value) {
  if (name === "key") {
    return;
  }
  if (typeof value === "function" || (typeof value === "object" && value !== null)) {
    node[name] = value;
  } else if (value === undefined || value === null || value === false) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}
