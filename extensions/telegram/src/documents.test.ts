import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { TelegramConfigSchema } from "./index.ts";

const FOLDER = join(import.meta.dirname, "..");
const README = readFileSync(join(FOLDER, "README.md"), "utf8");
const PAGE = readFileSync(join(FOLDER, "../../docs/telegram.md"), "utf8");
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
  const schema = z.toJSONSchema(TelegramConfigSchema, { io: "input" });
  expect(firstCells(README, "| key | value |").map((cell) => cell.replaceAll("`", ""))).toEqual(Object.keys(schema.properties ?? {}));
});

const examples = [...`${README}\n${PAGE}`.matchAll(/```json5\n([\s\S]*?)```/g)].map(([, text = ""]) => text);

test("there are examples of both transports", () => {
  expect(examples.length).toBe(3);
  expect(examples.some((text) => text.includes('"webhook"'))).toBe(true);
});

test.each(
  firstCells(PAGE, "| `status` says")
    .map((cell) => cell.split("`")[1] ?? "")
    .filter((text) => !text.includes("connected") && !text.includes("command menu")),
)("the channel says: %s", (text) => {
  expect(SOURCE).toContain(text);
});
