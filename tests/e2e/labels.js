// The texts of an element that are cut: wider than what clips them. Walks through shadow
// roots. What scrolls is not cut; what is for screen readers alone, far outside, is not seen.
root => {
  const parentOf = node => node.assignedSlot ?? node.parentNode ?? node.host;
  const clips = style => /hidden|clip/.test(style.overflowX);
  const cut = [];

  const look = (text, range) => {
    range.selectNodeContents(text);
    const rects = [...range.getClientRects()].filter(rect => rect.width > 1 && rect.right > 0);
    for (let each = parentOf(text); rects.length && each && each !== root; each = parentOf(each)) {
      if (!(each instanceof HTMLElement)) continue;
      const style = getComputedStyle(each);
      if (/auto|scroll/.test(style.overflowX)) return;
      const box = each.getBoundingClientRect();
      if (!clips(style) || style.display === "contents") continue;
      if (box.width <= 1) return;
      if (rects.some(rect => rect.right > box.right + 1 || rect.left < box.left - 1)) {
        cut.push(`${text.data.trim()} (${each.localName}.${each.className})`);
        return;
      }
    }
  };

  const shown = ({ display, visibility }) => display !== "none" && visibility !== "hidden";

  const walk = node => {
    for (const child of node.childNodes) {
      if (child instanceof Text && child.data.trim()) look(child, document.createRange());
      if (child instanceof HTMLElement && shown(getComputedStyle(child))) walk(child);
    }
    if (node.shadowRoot) walk(node.shadowRoot);
  };
  walk(root);
  return cut;
}
