import { describe, expect, test } from "vitest";
import * as z from "zod";
import { SlackConfigSchema } from "./config.ts";

const socket = { type: "socket", appToken: "xapp-1" };
const http = { type: "http", signingSecret: "s" };

test.each([
  { transport: socket },
  { transport: http },
  { transport: http, baseUrl: "http://127.0.0.1:1" },
  { transport: http, botToken: "xoxe.xoxb-1" },
])("accepts %j", (more) => {
  expect(SlackConfigSchema.parse({ botToken: "xoxb-1", ...more })).toEqual({ botToken: "xoxb-1", ...more });
});

describe("rejects settings that cannot work", () => {
  test.each([
    ["no transport", { botToken: "xoxb-1" }],
    ["a user's token for the bot's", { botToken: "xoxp-1", transport: socket }],
    ["a prefix without its token", { botToken: "xoxb-", transport: socket }],
    ["a token with a space", { botToken: "xoxb-1 2", transport: socket }],
    ["a token behind something else", { botToken: "Bearer xoxb-1", transport: socket }],
    ["the bot's token for the app's", { botToken: "xoxb-1", transport: { ...socket, appToken: "xoxb-1" } }],
    ["no bot token", { transport: socket }],
    ["Socket Mode without its token", { botToken: "xoxb-1", transport: { type: "socket" } }],
    ["Socket Mode with a signing secret", { botToken: "xoxb-1", transport: { ...socket, signingSecret: "s" } }],
    ["HTTP without its secret", { botToken: "xoxb-1", transport: { type: "http", signingSecret: "" } }],
    ["an unknown key", { botToken: "xoxb-1", transport: socket, token: "x" }],
    ["an invalid base URL", { botToken: "xoxb-1", transport: socket, baseUrl: "localhost" }],
  ])("%s", (_, config) => {
    expect(SlackConfigSchema.safeParse(config).success).toBe(false);
  });
});

test("the schema can be shown as JSON Schema", () => {
  expect(z.toJSONSchema(SlackConfigSchema, { io: "input" })).toMatchObject({ type: "object", required: ["botToken", "transport"] });
});
