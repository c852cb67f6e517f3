import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryFolder } from "./memory-folder.ts";

let parent: string;
beforeEach(() => (parent = mkdtempSync(join(tmpdir(), "factotum-memory-"))));
afterEach(() => rmSync(parent, { recursive: true }));

test("creates an empty folder where programs can be run", () => {
  const folder = createMemoryFolder({ parent, minFreeBytes: 1 });
  expect(dirname(folder ?? "")).toBe(parent);
  expect(readdirSync(folder ?? "")).toEqual([]);
});

test("creates nothing where there is too little space, or no parent", () => {
  expect(createMemoryFolder({ parent, minFreeBytes: 2 ** 60 })).toBeUndefined();
  expect(readdirSync(parent)).toEqual([]);
  expect(createMemoryFolder({ parent: join(parent, "absent"), minFreeBytes: 1 })).toBeUndefined();
});
