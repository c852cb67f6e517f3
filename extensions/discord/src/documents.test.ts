import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PERMISSION_BITS } from "./actions/permissions.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/discord.md"), "utf8");

/** First cells of the rows of a table, after its head. */
function firstCells(text: string, head: string): readonly string[] {
  const rows = text.slice(text.indexOf(head)).split("\n\n", 1)[0]?.split("\n").slice(2) ?? [];
  return rows.map((row) => row.split(" | ")[0]?.slice(2) ?? "");
}

test("the address that adds the bot asks for the permissions of the table", () => {
  const names = firstCells(PAGE, "| permission | for").flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name = ""]) => name));
  const bits = new Map(PERMISSION_BITS);
  const wanted = names.reduce((sum, name) => sum | (1n << BigInt(bits.get(name) ?? Number.NaN)), 0n);
  expect(names.length).toBeGreaterThan(5);
  expect(/permissions=(\d+)/.exec(PAGE)?.[1]).toBe(String(wanted));
});
