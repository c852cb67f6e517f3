/** A row whose position is kept while others change. */
export interface ScrollAnchor {
  readonly row: Element;
  /** Pixels from the upper edge of the view to the row's; negative if the row starts above the view. */
  readonly topPx: number;
}

/** The first visible row, but no day separator: those disappear when older messages of their day are loaded. Rows are the laid-out children of `column`, from top to bottom. */
export function findAnchor(scroller: Element, column: Element): ScrollAnchor | undefined {
  const edge = scroller.getBoundingClientRect().top;
  const rows = column.children;
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const bottom = rows[middle]?.getBoundingClientRect().bottom ?? 0;
    if (bottom > edge) high = middle;
    else low = middle + 1;
  }
  const first = rows[low];
  const row = first?.classList.contains("day") ? (first.nextElementSibling ?? first) : first;
  return row === undefined ? undefined : { row, topPx: row.getBoundingClientRect().top - edge };
}
