import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { MatrixConfigSchema } from "./index.ts";

const FOLDER = join(import.meta.dirname, "..");
const README = readFileSync(join(FOLDER, "README.md"), "utf8");
const PAGE = readFileSync(join(FOLDER, "../../docs/matrix.md"), "utf8");
const SOURCE = globSync("src/**/*.ts", { cwd: FOLDER })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(FOLDER, file), "utf8"))
  .join("\n");

/** First cells of the rows of a table, after its head. */
function firstCells(text: string, head: string): readonly string[] {
  const rows = text.slice(text.indexOf(head)).split("\n\n", 1)[0]?.split("\n").slice(2) ?? [];
  return rows.map((row) => row.split(" | ")[0]?.slice(2) ?? "");
}

test("the README lists the keys of an account, and no other", () => {
  const schema = z.toJSONSchema(MatrixConfigSchema, { io: "input" });
  expect(firstCells(README, "| key | value |").map((cell) => cell.replaceAll("`", ""))).toEqual(Object.keys(schema.properties ?? {}));
});

const texts = ["| `status` says", "| an answer fails with"]
  .flatMap((head) => firstCells(PAGE, head))
  .map((cell) => cell.split("`")[1] ?? "")
  // The first is the gateway's, the other one the kit's.
  .filter((text) => !text.includes("connected") && text !== "could not connect to");

test.each(texts)("the channel says: %s", (text) => {
  expect(texts.length).toBeGreaterThan(8);
  expect(SOURCE).toContain(text);
});
