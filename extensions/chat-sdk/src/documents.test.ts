import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFORMANCE_REQUIREMENTS } from "@factotum/channel-conformance";
import { expect, test } from "vitest";
import * as z from "zod";
import { EXCLUDED } from "../test/excluded.ts";
import { ChatSdkConfigSchema } from "./index.ts";

const FOLDER = join(import.meta.dirname, "..");
const README = readFileSync(join(FOLDER, "README.md"), "utf8");
const PAGE = readFileSync(join(FOLDER, "../../docs/chat-sdk.md"), "utf8");
const SOURCE = globSync("src/**/*.ts", { cwd: FOLDER })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(FOLDER, file), "utf8").replaceAll(/\$\{[^}]*\}/g, "…"))
  .join("\n");

/** First cells of the rows of a table, after its head. */
function firstCells(text: string, head: string): readonly string[] {
  const rows = text.slice(text.indexOf(head)).split("\n\n", 1)[0]?.split("\n").slice(2) ?? [];
  return rows.map((row) => row.split(" | ")[0]?.slice(2) ?? "");
}

test("the README lists the keys of an account, and no other", () => {
  const schema = z.toJSONSchema(ChatSdkConfigSchema, { io: "input" });
  expect(firstCells(README, "| key | value |").map((cell) => cell.replaceAll("`", ""))).toEqual(Object.keys(schema.properties ?? {}));
});

test("the README lists the excluded cases, and they are at most a fifth of all", () => {
  const listed = README.split("\n").at(-2) ?? "";
  expect([...listed.matchAll(/`([a-z]+:[\w-]+)`/g)].map(([, id = ""]) => id).toSorted()).toEqual(Object.keys(EXCLUDED).toSorted());
  expect(Object.keys(EXCLUDED).length).toBeLessThanOrEqual(CONFORMANCE_REQUIREMENTS.length / 5);
});

test.each(
  firstCells(PAGE, "| `status` says")
    .map((cell) => cell.split("`")[1] ?? "")
    .filter((text) => !text.includes("connected")),
)("the channel says: %s", (text) => {
  const [start = ""] = text.split("401");
  expect(SOURCE).toContain(start);
});
