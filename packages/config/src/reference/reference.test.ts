import { expect, test } from "vitest";
import * as z from "zod";
import { configJsonSchema } from "../validate/json-schema.ts";
import { KEY_DESCRIPTIONS } from "./key-descriptions.ts";
import { keyRows } from "./key-rows.ts";
import { renderConfigReference } from "./render-reference.ts";

const CHATTER = {
  id: "chatter",
  schema: z.strictObject({ appId: z.string().describe("The app."), appSecret: z.string().describe("Its secret.") }),
};
const rows = keyRows([CHATTER]);
const listed = new Set(rows.map(({ key }) => key));
const rowOf = (key: string) => rows.find((row) => row.key === key);

/** Every key of a JSON Schema, objects too, as the reference writes it. */
function allKeys(node: unknown, key = ""): readonly string[] {
  if (typeof node !== "object" || node === null) return [];
  const { properties = {}, additionalProperties, items, ...rest } = node as Record<string, Record<string, unknown>>;
  const variants = Object.values(rest).filter(Array.isArray).flat() as unknown[];
  return [
    ...Object.entries(properties).flatMap(([name, child]) => {
      const below = key === "" ? name : `${key}.${name}`;
      return [below, ...allKeys(child, below)];
    }),
    ...allKeys(additionalProperties, `${key}.<name>`),
    ...allKeys(items, `${key}[]`),
    ...variants.flatMap((variant) => allKeys(variant, key)),
  ];
}

/** Whether the reader finds the key: in a row of its own, above or below one, or where the row for its object points to. */
function isCovered(key: string): boolean {
  if (
    listed.has(key) ||
    [...listed].some((one) => one.startsWith(`${key}.`) || one.startsWith(`${key}[]`) || one.startsWith(`${key}.<name>`))
  )
    return true;
  const shared = key
    .replace(/^agents\.list\[\]/, "agents.defaults")
    .replace(/^channels\.chatter(\.accounts\.<name>)?/, "channels.defaults");
  const inOne = key.replace(/\.accounts(\.<name>)?/, "");
  if ([shared, inOne].some((same) => same !== key && isCovered(same))) return true;
  const above = rows.findLast((row) => row.key !== key && key.startsWith(`${row.key}.`) && !listed.has(key));
  if (above === undefined) return false;
  if (above.values.includes("secret")) return /\.(env|file|exec)$/.test(key);
  const same = /The same keys as `(?<place>[^`]+)`/.exec(above.description)?.groups?.["place"];
  return same !== undefined && isCovered(key.replace(above.key, same));
}

test("lists every key of the schema", () => {
  const keys = new Set(allKeys(configJsonSchema([CHATTER])));
  expect(keys.size).toBeGreaterThan(300);
  expect([...keys].filter((key) => key !== "$schema" && !isCovered(key))).toEqual([]);
});

test("describes every key: with `.describe()` in its schema, or a line in key-descriptions.ts", () => {
  expect(rows.filter(({ description }) => description === "").map(({ key }) => key)).toEqual([]);
});

test("describes no key that does not exist", () => {
  // Keys of channels come from their extensions.
  expect(Object.keys(KEY_DESCRIPTIONS).filter((key) => !listed.has(key))).toEqual([]);
});

test("lists allowed values, defaults and inactive keys", () => {
  expect(rowOf("gateway.port")).toMatchObject({ values: "whole number from 0 to 65535", default: "18790", active: true });
  expect(rowOf("gateway.bind")?.values).toBe("`loopback`, `lan` or IP address");
  expect(rowOf("gateway.auth.token")?.values).toBe("secret");
  expect(rowOf("tools.exec.maxProcesses")).toMatchObject({ values: "whole number from 1", default: "256", active: true });
  expect(rowOf("tools.web.search")).toMatchObject({ values: "object", active: false });
  expect(rowOf("agents.defaults.heartbeat")).toMatchObject({ active: false });
  expect(rowOf("agents.defaults.model")?.values).toBe("text or object");
  expect(rowOf("session.resetByChannel.<name>")?.description).toContain("The same keys as `session.reset`");
  expect(rowOf("channels.chatter.appSecret")).toMatchObject({ values: "text or secret", description: "Its secret." });
  expect(listed.has("channels.chatter.enabled")).toBe(false);
});

test("has a table for each part of the file", () => {
  const text = renderConfigReference([CHATTER]);
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(Object.keys(configJsonSchema([]).properties ?? {}).filter((name) => name !== "$schema"));
  for (const line of text.split("\n").filter((one) => one.startsWith("| `"))) expect(line.replaceAll("\\|", "").split("|")).toHaveLength(6);
  expect(text).toMatch(/^\| `cron` \| object \|  \| .*\*\*Not active yet\.\*\* \|$/m);
});
