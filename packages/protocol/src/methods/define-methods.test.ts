import { expect, test, vi } from "vitest";
import * as z from "zod";
import { defineMethods } from "./define-methods.ts";

/** Declarations, in the form of a group of methods. */
interface Declared {
  "note.add": { params: { readonly text: string; readonly title?: string }; result: { readonly id: string } };
  "note.remove": { params: { readonly id: string }; result: { readonly removed: boolean } };
}

const add = {
  access: "owner",
  stores: true,
  params: () => z.strictObject({ text: z.string(), title: z.string().optional() }),
  result: () => z.strictObject({ id: z.string() }),
} as const;
const remove = {
  access: "owner",
  stores: true,
  params: () => z.strictObject({ id: z.string() }),
  result: () => z.strictObject({ removed: z.boolean() }),
} as const;

// Each directive covers one line: the compiler reports an error that is missing there, and an error on any other line.
test("compiles with one row per declared method", () => {
  expect(Object.keys(defineMethods<Declared>()({ "note.add": add, "note.remove": remove }))).toEqual(["note.add", "note.remove"]);
});

test("has one error, at the call, for a declared method without its row", () => {
  const table = defineMethods<Declared>();
  // @ts-expect-error: `note.remove` is missing
  const rows = table({
    "note.add": { access: "owner", stores: true, params: add.params, result: add.result },
  });
  expect(Object.keys(rows)).toEqual(["note.add"]);
});

test("has one error, at its row, for a method that is not declared", () => {
  const rows = defineMethods<Declared>()({
    "note.add": add,
    "note.remove": remove,
    // @ts-expect-error: nothing declares it
    "note.move": remove,
  });
  expect(Object.keys(rows)).toHaveLength(3);
});

test("has one error, at its schema, for parameters or a result that differ from the declaration", () => {
  const rows = defineMethods<Declared>()({
    "note.add": {
      access: "owner",
      stores: true,
      // @ts-expect-error: `title` may be absent
      params: () => z.strictObject({ text: z.string(), title: z.string() }),
      result: add.result,
    },
    "note.remove": {
      access: "owner",
      stores: true,
      params: remove.params,
      // @ts-expect-error: `reason` is not declared
      result: () => z.strictObject({ removed: z.boolean(), reason: z.string() }),
    },
  });
  expect(Object.keys(rows)).toHaveLength(2);
});

test("creates a schema at its first parse, once", () => {
  const params = vi.fn<typeof remove.params>(remove.params);
  const rows = defineMethods<Declared>()({ "note.add": add, "note.remove": { ...remove, params } });
  expect(params).not.toHaveBeenCalled();
  expect(rows["note.remove"].params.parse({ id: "7" })).toEqual({ id: "7" });
  expect(rows["note.remove"].params.safeParse({ id: 7 }).success).toBe(false);
  expect(params).toHaveBeenCalledTimes(1);
});
