/** A row that stays where it is while things around it change. */
export interface ScrollAnchor {
  readonly row: Element;
  /** From the upper edge of the view to the row's, pixels; below 0 when the row begins above the view. */
  readonly topPx: number;
}

/** The first row that is in sight. Rows are the children of `column` that have a place of their own, from top to bottom. */
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
  const row = rows[low];
  return row === undefined ? undefined : { row, topPx: row.getBoundingClientRect().top - edge };
}
