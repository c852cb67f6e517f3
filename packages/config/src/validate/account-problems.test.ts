import { expect, test } from "vitest";
import { PlatformSchema } from "../../test/sample.ts";
import { accountProblems } from "./account-problems.ts";
import { accountJsonSchema } from "./channel-source.ts";

const chatter = { id: "chatter", schema: accountJsonSchema(PlatformSchema) };
const sound = { appId: "a", appSecret: "s", transport: { type: "websocket" } };

test("settings that fit have no problems", () => {
  expect(accountProblems(chatter, sound)).toEqual([]);
});

test("lists the allowed forms, without library terms and without a value", () => {
  const problems = accountProblems(chatter, { ...sound, baseUrl: "canary", transport: { type: "socket" } });
  expect(problems).toEqual([
    { type: "invalid-value", path: "channels.chatter.baseUrl", message: "an address such as https://example.com is expected" },
    {
      type: "invalid-value",
      path: "channels.chatter.transport.type",
      message: 'one of "websocket", "webhook" is expected; did you mean "websocket"?',
    },
  ]);
});
