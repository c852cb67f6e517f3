/** Rows in a group: about a screen. */
const GROUP_SIZE = 12;

/** A row with its id as key. */
interface Keyed {
  readonly key: string | null;
}

/** Consecutive rows of a conversation. */
export interface RowGroup<Row> {
  readonly key: number;
  readonly rows: readonly Row[];
}

/**
 * Divides a conversation into groups of rows, so that a frame costs the groups rather than every row. A row stays in its group while rows are added before and
 * after it: another group would mount it again.
 */
export class RowGroups {
  #groupOf: ReadonlyMap<string | null, number> = new Map<string | null, number>();

  /** The groups of these rows, in order. */
  divide<Row extends Keyed>(rows: readonly Row[]): readonly RowGroup<Row>[] {
    const firstKnown = rows.findIndex(({ key }) => this.#groupOf.has(key));
    const numbers = this.#continue(rows.slice(Math.max(0, firstKnown)));
    numbers.unshift(...countDown(firstKnown, numbers));
    this.#groupOf = new Map(rows.map(({ key }, index) => [key, numbers[index] ?? 0]));
    const groups = new Map<number, Row[]>();
    for (const [index, row] of rows.entries()) {
      const number = numbers[index] ?? 0;
      const group = groups.get(number);
      if (group === undefined) groups.set(number, [row]);
      else group.push(row);
    }
    return [...groups].map(([key, members]) => ({ key, rows: members }));
  }

  /** The groups of rows from the first known one: new rows fill the last group, then start another. */
  #continue(rows: readonly Keyed[]): number[] {
    let current = 0;
    let size = 0;
    return rows.map(({ key }, index) => {
      // Never a lower number than before, even if rows have changed places.
      const next = this.#groupOf.get(key) ?? (size < GROUP_SIZE ? current : current + 1);
      const number = index === 0 ? next : Math.max(current, next);
      size = number === current ? size + 1 : 1;
      current = number;
      return number;
    });
  }
}

/** The groups of `count` older rows before known ones. They fill the first group, then start another. */
function countDown(count: number, known: readonly number[]): readonly number[] {
  let current = known[0] ?? 0;
  let size = known.findIndex((number) => number !== current);
  if (size === -1) size = known.length;
  const numbers: number[] = [];
  for (let index = 0; index < count; index += 1) {
    if (size >= GROUP_SIZE) {
      current -= 1;
      size = 0;
    }
    size += 1;
    numbers.unshift(current);
  }
  return numbers;
}
