import { describe, expect, test } from "vitest";
import * as z from "zod";
import { IrcConfigSchema } from "./index.ts";

const account = { host: "irc.example.net", nick: "factotum" };

test("TLS is verified, and the limit of lines is the RFC's, by default", () => {
  expect(IrcConfigSchema.parse(account)).toEqual({ ...account, tls: true, channels: [], flood: { burst: 4, intervalMs: 2_000 } });
});

test("takes channels with and without keys, a login and an authority", () => {
  const full = {
    ...account,
    host: "2001:db8::1",
    port: 7_000,
    tls: { ca: "-----BEGIN CERTIFICATE-----", verify: true },
    serverPassword: "with spaces",
    sasl: { account: "factotum", password: "p w" },
    channels: ["#one", { name: "#two", key: "k" }],
    flood: { burst: 10, intervalMs: 500 },
  };
  expect(IrcConfigSchema.parse(full)).toEqual(full);
});

describe("rejects settings that cannot work or would leak", () => {
  test.each([
    ["no nickname", { host: "h" }],
    ["a nickname with a space", { ...account, nick: "a b" }],
    ["a nickname with a line break", { ...account, nick: "a\r\nQUIT" }],
    ["a host with a space", { ...account, host: "a b" }],
    ["a host with a port", { ...account, host: "irc.example.net:6697" }],
    ["an IPv4 address with a port", { ...account, host: "127.0.0.1:6697" }],
    ["an IPv6 address with a port", { ...account, host: "[2001:db8::1]:6697" }],
    ["an address with a scheme", { ...account, host: "ircs://irc.example.net" }],
    ["a password with a line break", { ...account, serverPassword: "a\nQUIT" }],
    ["a channel without its mark", { ...account, channels: ["room"] }],
    ["two channels in one", { ...account, channels: ["#a,#b"] }],
    ["a key with a comma", { ...account, channels: [{ name: "#a", key: "k,l" }] }],
    ["a login without a password", { ...account, sasl: { account: "a" } }],
    ["a login in the open", { ...account, tls: false, sasl: { account: "a", password: "p" } }],
    ["no burst", { ...account, flood: { burst: 0 } }],
    ["an unknown key", { ...account, nickname: "x" }],
  ])("%s", (_, config) => {
    expect(IrcConfigSchema.safeParse(config).success).toBe(false);
  });
});

test("a login without TLS is accepted on this machine", () => {
  expect(IrcConfigSchema.safeParse({ ...account, host: "127.0.0.1", tls: false, sasl: { account: "a", password: "p" } }).success).toBe(
    true,
  );
});

test("the schema can be shown as JSON Schema", () => {
  expect(z.toJSONSchema(IrcConfigSchema, { io: "input" })).toMatchObject({ type: "object", required: ["host", "nick"] });
});
