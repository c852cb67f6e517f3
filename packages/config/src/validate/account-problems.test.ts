import { expect, test } from "vitest";
import * as z from "zod";
import { PlatformSchema } from "../../test/sample.ts";
import { accountProblems, extensionProblems } from "./account-problems.ts";
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

const OwnSchema = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }),
  token: z.string().min(1),
  mode: z.enum(["fast", "slow"]).default("fast"),
});
const own = { id: "own", schema: accountJsonSchema(OwnSchema) };

test("an extension's schema refuses what its JSON Schema cannot state, at the key of the account", () => {
  const settings = { baseUrl: "ftp://canary", token: "t", allowFrom: ["carol"] };
  expect(accountProblems(own, { baseUrl: settings.baseUrl, token: "t" })).toEqual([]);
  expect(extensionProblems(own, OwnSchema, { key: "channels.own.accounts.north", settings })).toEqual([
    {
      type: "invalid-value",
      path: "channels.own.accounts.north.baseUrl",
      message: "an address such as https://example.com is expected",
    },
  ]);
});

test("names the nearest form and key, and leaves secret references and common keys alone", () => {
  const settings = { baseUrl: "https://a.example", token: { env: "TOKEN" }, mode: "fst", tokn: "canary", dmPolicy: "open" };
  expect(extensionProblems(own, OwnSchema, { key: "channels.own", settings }).map(({ path, message }) => [path, message])).toEqual([
    ["channels.own.tokn", 'there is no such key; did you mean "token"?'],
    ["channels.own.mode", 'one of "fast", "slow" is expected; did you mean "fast"?'],
  ]);
});

test("a key of another form is not suggested in its own place", () => {
  const encryptKey = "canary";
  const problems = accountProblems(chatter, { ...sound, transport: { type: "websocket", encryptKey } });
  expect(problems).toEqual([
    {
      type: "unknown-key",
      path: "channels.chatter.transport.encryptKey",
      message: "there is no such key in the form that is written here; remove it, or choose the form that has it",
    },
  ]);
});

test("a text that does not match is explained by the pattern's own message, else by the meaning of the key", () => {
  const message = "a name in lower case is expected";
  const name = z
    .string()
    .regex(/^[a-z]+$/, message)
    .meta({ patternErrorMessage: message });
  const schema = z.strictObject({
    nick: name,
    host: name.or(z.ipv6()),
    code: z.string().regex(/^\d+$/).describe("Digits of the code."),
  });
  const channel = { id: "own", schema: accountJsonSchema(schema) };
  const settings = { nick: "CANARY", host: "canary:6697", code: "canary" };
  expect(accountProblems(channel, settings).map((problem) => [problem.path, problem.message])).toEqual([
    ["channels.own.nick", message],
    ["channels.own.host", message],
    ["channels.own.code", "this text has a form that is not allowed here (Digits of the code)"],
  ]);
  expect(accountProblems(channel, { ...settings, nick: 1, host: "h", code: "1" }).map(({ message }) => message)).toEqual([
    "a text is expected, not a number; put it in quotes",
  ]);
});

test("a schema that throws is a problem without its text", () => {
  const throws = {
    safeParse: () => {
      throw new Error("canary");
    },
  } as unknown as z.ZodType;
  const [problem, ...more] = extensionProblems(own, throws, { key: "channels.own", settings: { token: "canary" } });
  expect(more).toEqual([]);
  expect(problem).toMatchObject({ path: "channels.own", message: "the channel's own schema could not check these settings" });
});
