import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { RPC_EVENTS, RPC_METHODS } from "../index.ts";

test("the document of the protocol has every method and every event, and no others", async () => {
  const text = await readFile(new URL("../../../../docs/rpc.md", import.meta.url), "utf8");
  const tables = text.split("\n").filter((line) => line.startsWith("| `"));
  const named = tables.flatMap((line) => [...(line.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const known = [...Object.keys(RPC_METHODS), ...Object.keys(RPC_EVENTS)];
  expect(new Set(named)).toEqual(new Set(known));
  expect(named).toHaveLength(known.length);
});
