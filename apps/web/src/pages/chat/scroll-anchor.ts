/** A row whose position is kept while others change. */
export interface ScrollAnchor {
  readonly row: Element;
  /** Pixels from the upper edge of the view to the row's; negative if the row starts above the view. */
  readonly topPx: number;
}

/** The first visible row, but no day separator: those disappear when older messages of their day are loaded. `column` contains groups of rows and single rows. */
export function findAnchor(scroller: Element, column: Element): ScrollAnchor | undefined {
  const edge = scroller.getBoundingClientRect().top;
  const part = firstBelow(column.children, edge);
  // The estimated height of a group may reach further than its rows.
  const first = isGroup(part) ? (firstBelow(part.children, edge) ?? firstOf(part.nextElementSibling)) : part;
  const row = first?.classList.contains("day") ? (first.nextElementSibling ?? first) : first;
  return row === undefined ? undefined : { row, topPx: row.getBoundingClientRect().top - edge };
}

function isGroup(part: Element | null | undefined): part is Element {
  return part?.classList.contains("rows") === true;
}

function firstOf(part: Element | null): Element | undefined {
  return (isGroup(part) ? part.firstElementChild : part) ?? undefined;
}

/** The first of laid-out elements, from top to bottom, that ends below a height. */
function firstBelow(elements: HTMLCollection, edge: number): Element | undefined {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const bottom = elements[middle]?.getBoundingClientRect().bottom ?? 0;
    if (bottom > edge) high = middle;
    else low = middle + 1;
  }
  return elements[low];
}
