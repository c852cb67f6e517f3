import { expect, test } from "vitest";
import { type Column, sortRows } from "./table.tsx";

interface Row {
  readonly name: string;
  readonly size: number;
}

const columns: readonly Column<Row>[] = [
  { id: "name", title: "Name", cell: ({ name }) => name, sortBy: ({ name }) => name },
  { id: "size", title: "Size", cell: ({ size }) => size, sortBy: ({ size }) => size },
  { id: "note", title: "Note", cell: () => "" },
];
const rows: readonly Row[] = [
  { name: "b", size: 10 },
  { name: "a", size: 9 },
  { name: "Ä", size: 9 },
];
const names = (order: Parameters<typeof sortRows>[2]): string =>
  sortRows(rows, columns, order)
    .map(({ name }) => name)
    .join("");

test.each([
  [undefined, "baÄ"],
  [{ id: "note", descending: false }, "baÄ"],
  [{ id: "name", descending: false }, "aÄb"],
  [{ id: "name", descending: true }, "bÄa"],
  [{ id: "size", descending: false }, "aÄb"],
  [{ id: "size", descending: true }, "baÄ"],
] as const)("rows in the order %j are %s", (order, expected) => {
  expect(names(order)).toBe(expected);
});

test("numbers in names are sorted by their value", () => {
  const numbered = ["job 10", "job 9"].map((name) => ({ name, size: 1 }));
  expect(sortRows(numbered, columns, { id: "name", descending: false }).map(({ name }) => name)).toEqual(["job 9", "job 10"]);
});
