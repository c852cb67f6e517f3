import { expect, test } from "vitest";
import * as z from "zod";
import { accountJsonSchema } from "../validate/channel-source.ts";
import { configJsonSchema } from "../validate/json-schema.ts";
import { describedKeys, describedSchema } from "./describe-schema.ts";
import { keyRows } from "./key-rows.ts";
import { renderConfigReference } from "./render-reference.ts";

const CHATTER = {
  id: "chatter",
  schema: accountJsonSchema(z.strictObject({ appId: z.string().describe("The app."), appSecret: z.string().describe("Its secret.") })),
};
const rows = keyRows([CHATTER]);
const listed = new Set(rows.map(({ key }) => key));
const keys = describedKeys(describedSchema([CHATTER]));
const rowOf = (key: string) => rows.find((row) => row.key === key);

/** True if a reader finds the key: in its own row, one above or below, or the row that its object's row refers to. */
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
  if (above.type.includes("secret")) return /\.(env|file|exec)$/.test(key);
  const same = /The same keys as `(?<place>[^`]+)`/.exec(above.description)?.groups?.["place"];
  return same !== undefined && isCovered(key.replace(above.key, same));
}

test("lists every key of the schema", () => {
  expect(keys.size).toBeGreaterThan(300);
  expect([...keys.keys()].filter((key) => !isCovered(key))).toEqual([]);
});

test("refuses a key without a description: it needs `.describe()` in its schema", () => {
  expect(rows.filter(({ description }) => description === "").map(({ key }) => key)).toEqual([]);
  expect([...keys].filter(([, isDescribed]) => !isDescribed)).toEqual([]);
  const bare = { id: "bare", schema: accountJsonSchema(z.strictObject({ appId: z.string() })) };
  expect([...describedKeys(describedSchema([bare]))].filter(([, isDescribed]) => !isDescribed)).toEqual([
    ["channels.bare.appId", false],
    ["channels.bare.accounts.<name>.appId", false],
  ]);
});

test("finds the description of a shared schema inside its wrappers, and prefers that of the use", () => {
  const shared = z.string().describe("Of the schema.");
  const account = z.strictObject({
    optional: shared.optional(),
    defaulted: shared.default("x").optional(),
    transformed: shared.transform(Number).prefault("1"),
    used: shared.transform(Number).optional().describe("Of the use."),
  });
  const described = keyRows([{ id: "wrapped", schema: accountJsonSchema(account) }]).filter(({ key }) =>
    key.startsWith("channels.wrapped."),
  );
  expect(Object.fromEntries(described.map(({ key, description }) => [key.replace("channels.wrapped.", ""), description]))).toEqual({
    optional: "Of the schema.",
    defaulted: "Of the schema.",
    transformed: "Of the schema.",
    used: "Of the use.",
  });
});

test("lists types, allowed values, defaults, inactive keys, and those that need a restart", () => {
  expect(rowOf("gateway.port")).toMatchObject({
    type: "whole number",
    values: "from 0 to 65535",
    default: "18790",
    active: true,
    restart: true,
  });
  expect(rowOf("gateway.bind")).toMatchObject({ type: "text or IP address", values: "`loopback`, `lan`", restart: true });
  expect(rowOf("gateway.auth")).toMatchObject({ type: "object", values: "", restart: false });
  expect(rowOf("gateway.auth.token")?.type).toBe("secret");
  expect(rowOf("tools.exec.maxProcesses")).toMatchObject({ type: "whole number", values: "from 1", default: "256", active: true });
  expect(rowOf("tools.web.search")).toMatchObject({ type: "object", active: true });
  expect(rowOf("tools.web.search.apiKey")?.type).toBe("secret");
  expect(rowOf("tools.browser.executable")).toMatchObject({ type: "text", active: true });
  expect(rowOf("agents.defaults.model")?.type).toBe("text or object");
  expect(rowOf("session.resetByChannel.<name>")?.description).toContain("The same keys as `session.reset`");
  expect(rowOf("channels.chatter.appSecret")).toMatchObject({ type: "text or secret", description: "Its secret." });
  expect(listed.has("channels.chatter.enabled")).toBe(false);
});

test("every key has an effect in this version", () => {
  expect(keyRows([CHATTER]).flatMap(({ key, active }) => (active ? [] : [key]))).toEqual([]);
});

test("has a table for each part of the file", () => {
  const text = renderConfigReference([CHATTER]);
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(Object.keys(configJsonSchema([]).properties ?? {}));
  for (const line of text.split("\n").filter((one) => one.startsWith("| `"))) expect(line.replaceAll("\\|", "").split("|")).toHaveLength(8);
  expect(text).toMatch(/^\| `agents.list\[\].identity.emoji` \| text \|  \|  \|  \| Emoji of the agent/m);
});
