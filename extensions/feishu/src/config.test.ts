import { describe, expect, test } from "vitest";
import * as z from "zod";
import { FeishuConfigSchema } from "./config.ts";

const webhook = { type: "webhook", encryptKey: "k", verificationToken: "v" };
const account = { appId: "cli_0123456789abcdef", appSecret: "s", transport: webhook };

test("the platform is Feishu by default", () => {
  expect(FeishuConfigSchema.parse(account)).toEqual({ ...account, domain: "feishu" });
  expect(
    FeishuConfigSchema.parse({ ...account, domain: "lark", baseUrl: "http://127.0.0.1:1", transport: { type: "websocket" } }),
  ).toMatchObject({ domain: "lark" });
});

describe("rejects settings that cannot work", () => {
  test.each([
    ["a webhook without its key", { ...account, transport: { type: "webhook", verificationToken: "v" } }],
    ["a webhook without its token", { ...account, transport: { type: "webhook", encryptKey: "k" } }],
    ["a webhook with an empty key", { ...account, transport: { ...webhook, encryptKey: "" } }],
    ["a connection with a webhook's key", { ...account, transport: { type: "websocket", encryptKey: "k" } }],
    ["an app id without its prefix", { ...account, appId: "0123456789abcdef" }],
    ["an app id that is too short", { ...account, appId: "cli_0123456789abcde" }],
    ["an app id that is too long", { ...account, appId: "cli_0123456789abcdef0" }],
    ["an app id of other letters", { ...account, appId: "cli_0123456789abcdeg" }],
    ["no transport", { appId: "cli_0123456789abcdef", appSecret: "s" }],
    ["an unknown key", { ...account, appSecrets: "s" }],
    ["an unknown platform", { ...account, domain: "slack" }],
    ["an invalid base URL", { ...account, baseUrl: "localhost" }],
    ["an empty secret", { ...account, appSecret: "" }],
  ])("%s", (_, config) => {
    expect(FeishuConfigSchema.safeParse(config).success).toBe(false);
  });
});

test("the schema can be shown as JSON Schema", () => {
  expect(z.toJSONSchema(FeishuConfigSchema, { io: "input" })).toMatchObject({
    type: "object",
    required: ["appId", "appSecret", "transport"],
  });
});
