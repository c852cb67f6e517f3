import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSlackChannel, senderIdProblem, SlackConfigSchema, slackExtension } from "./index.ts";

test("the extension exports its schema and its constructor", () => {
  expect(slackExtension).toEqual({ id: "slack", api: 1, configSchema: SlackConfigSchema, create: createSlackChannel });
});

test("importing the package and creating a channel does not load the SDK", () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { createSlackChannel } = await import(${JSON.stringify(join(import.meta.dirname, "index.ts"))});
    createSlackChannel({ botToken: "b", transport: { type: "socket", appToken: "a" } }, { accountId: "a" });
    console.log(JSON.stringify({ sdk: loaded.filter((url) => url.includes("@slack")).length, all: loaded.length }));
  `;
  const output = execFileSync(process.execPath, ["--conditions=factotum-source", "--input-type=module", "--eval", script], {
    encoding: "utf8",
    stdio: "pipe",
  });
  const { sdk, all } = JSON.parse(output) as { sdk: number; all: number };
  expect(all).toBeGreaterThan(10);
  expect(sdk).toBe(0);
});

test.each([
  ["U012AB3CD", true],
  ["W012AB3CD", true],
  ["*", true],
  ["C012AB3CD", false],
  ["alice", false],
  ["@alice", false],
])("an allowlist entry %s is a member ID: %s", (id, isValid) => {
  expect(senderIdProblem(id) === undefined).toBe(isValid);
});
