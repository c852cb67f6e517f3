import { join } from "node:path";
import { loadedModules } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createSlackChannel, SlackConfigSchema, slackExtension } from "./index.ts";

test("the extension exports its schema and its constructor", () => {
  expect(slackExtension).toEqual({ id: "slack", api: 1, configSchema: SlackConfigSchema, create: createSlackChannel });
});

test("importing the package and creating a channel does not load the SDK", () => {
  const loaded = loadedModules(
    join(import.meta.dirname, "index.ts"),
    `extension.createSlackChannel({ botToken: "b", transport: { type: "socket", appToken: "a" } }, { accountId: "a" });`,
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => url.includes("@slack"))).toEqual([]);
});
