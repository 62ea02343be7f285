// The texts of an element that are cut: wider or higher than what clips them. Walks through shadow
// roots. What scrolls is not cut; what is for screen readers alone, far outside, is not seen.
root => {
  const parentOf = node => node.assignedSlot ?? node.parentNode ?? node.host;
  const clips = overflow => /hidden|clip/.test(overflow);
  const scrolls = overflow => /auto|scroll/.test(overflow);
  const cut = [];

  const look = (text, range) => {
    range.selectNodeContents(text);
    const rects = [...range.getClientRects()].filter(rect => rect.width > 1 && rect.right > 0);
    let scrolled = false;
    for (let each = parentOf(text); rects.length && each && each !== root; each = parentOf(each)) {
      if (!(each instanceof HTMLElement)) continue;
      const style = getComputedStyle(each);
      if (scrolls(style.overflowX)) return;
      scrolled ||= scrolls(style.overflowY);
      const box = each.getBoundingClientRect();
      if (!clips(style.overflowX + style.overflowY) || style.display === "contents") continue;
      if (box.width <= 1) return;
      const wide = rect => rect.right > box.right + 1 || rect.left < box.left - 1;
      // A line is higher than its letters.
      const high = rect => rect.bottom > box.bottom + rect.height / 4 || rect.top < box.top - rect.height / 4;
      if (rects.some(rect => (clips(style.overflowX) && wide(rect)) || (clips(style.overflowY) && !scrolled && high(rect)))) {
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
