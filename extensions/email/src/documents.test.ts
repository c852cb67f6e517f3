import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { EmailConfigSchema } from "./index.ts";

const FOLDER = join(import.meta.dirname, "..");
const README = readFileSync(join(FOLDER, "README.md"), "utf8");
const PAGE = readFileSync(join(FOLDER, "../../docs/email.md"), "utf8");
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
  const schema = z.toJSONSchema(EmailConfigSchema, { io: "input" });
  const keys = firstCells(README, "| key | value |").flatMap((cell) => cell.replaceAll("`", "").split(", "));
  expect(keys).toEqual(Object.keys(schema.properties ?? {}));
});

test.each(
  [...firstCells(PAGE, "| `status` says"), ...firstCells(PAGE, "| an answer fails with")]
    .map((cell) => cell.split("`")[1] ?? "")
    .filter((text) => !text.includes("connected")),
)("the channel says: %s", (text) => {
  // Numbers of servers stand behind the channel's own words.
  expect(SOURCE).toContain(text.replace(/: \d+$/, ""));
});
