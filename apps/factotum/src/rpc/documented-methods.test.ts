import { readFileSync } from "node:fs";
import { RPC_EVENTS, RPC_METHODS } from "@factotum/protocol";
import { expect, test } from "vitest";

const [methods = "", events = ""] = readFileSync(new URL("../../../../docs/rpc.md", import.meta.url), "utf8")
  .split(/^## /m)
  .filter((part) => /^(?:Methods|Events)\n/.test(part));

/** The names in the first cells of the tables of a part. */
function namesIn(part: string): readonly string[] {
  const cells = [...part.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w.-]+)`/g)].map(([, name = ""]) => name)).toSorted();
}

test("docs/rpc.md lists every method once, and no other", () => {
  expect(namesIn(methods)).toEqual(Object.keys(RPC_METHODS).toSorted());
});

test("docs/rpc.md lists every event once, and no other", () => {
  expect(namesIn(events)).toEqual(Object.keys(RPC_EVENTS).toSorted());
});
