import { FakeMail, FakeTokenEndpoint, ManualClock } from "@factotum/testing-channels";
import { TestHost } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEmailChannel, EmailConfigSchema } from "../index.ts";
import { ALICE, AUTHSERV_ID } from "../../test/email-platform.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

let provider: FakeTokenEndpoint;
let mail: FakeMail;
let clock: ManualClock;
let host: TestHost;
let channel: Channel;
/** The tokens that the mail servers take. */
let valid: (token: string) => boolean;
beforeEach(async () => {
  provider = await FakeTokenEndpoint.start();
  valid = (token) => token === provider.given.at(-1);
  mail = await FakeMail.start({ isToken: (token) => valid(token) });
  clock = new ManualClock();
  host = new TestHost({ clock });
  channel = create();
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await mail[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const oauth = () => ({
  tokenUrl: provider.url,
  clientId: provider.clientId,
  clientSecret: provider.clientSecret,
  refreshToken: "refresh-token-0",
  scope: "https://outlook.office.com/IMAP.AccessAsUser.All offline_access",
});

function create(imap: object = { oauth: oauth() }, smtp: object = {}): Channel {
  const config = EmailConfigSchema.parse({
    address: mail.user,
    imap: { host: "127.0.0.1", port: mail.imapPort, tls: false, user: mail.user, ...imap },
    smtp: { host: "127.0.0.1", port: mail.smtpPort, tls: false, ...smtp },
    senderVerification: { authservId: AUTHSERV_ID },
  });
  return createEmailChannel(config, host);
}

const send = (text = "Hello") =>
  channel.send(
    { channel: "email", accountId: host.accountId, conversation: { kind: "direct", id: ALICE } },
    { type: "text", text },
    { ...soon(), idempotencyKey: `send-${text}` },
  );

test("a token is fetched once for both servers, and the provider gets what it needs", async () => {
  await channel.start(soon());
  expect(await send()).toMatchObject({ type: "accepted" });
  expect(provider.requests.map((form) => Object.fromEntries(form))).toEqual([
    {
      grant_type: "refresh_token",
      client_id: provider.clientId,
      client_secret: provider.clientSecret,
      refresh_token: "refresh-token-0",
      scope: "https://outlook.office.com/IMAP.AccessAsUser.All offline_access",
    },
  ]);
  expect(mail.sent).toHaveLength(1);
});

test("logins at the same time wait for one request", async () => {
  const release = provider.hold();
  const all = Promise.all([channel.start(soon()), send("one"), channel.probe?.(soon())]);
  await expect.poll(() => provider.requests.length).toBe(1);
  release();
  await all;
  expect(provider.given).toEqual(["access-token-1"]);
});

test.each([
  [3600, 3_539_000, 1],
  [3600, 3_540_000, 2],
  [undefined, 239_000, 1],
  [undefined, 240_000, 2],
])("a token that lives %s s is used again after %i ms: request %i", async (expiresIn, afterMs, requests) => {
  provider.expiresIn = expiresIn;
  expect(await send("one")).toMatchObject({ type: "accepted" });
  clock.advance(afterMs);
  expect(await send("two")).toMatchObject({ type: "accepted" });
  expect(provider.requests).toHaveLength(requests);
});

test("a token that ends early is replaced in the same login, by both protocols", async () => {
  expect(await send("one")).toMatchObject({ type: "accepted" });
  valid = (token) => token === "access-token-2";
  expect(await send("two")).toMatchObject({ type: "accepted" });
  valid = (token) => token === "access-token-3";
  await channel.start(soon());
  expect(provider.given).toHaveLength(3);
});

test("a new token that is refused is no reason for another one", async () => {
  valid = () => false;
  await expect(channel.start(soon())).rejects.toMatchObject({
    code: "unauthorized",
    message: expect.stringContaining("refuses the login: check imap.user, and whether the token is for this server") as string,
  });
  expect(provider.requests).toHaveLength(1);
  expect(await send()).toMatchObject({ type: "rejected", code: "unauthorized" });
  expect(provider.requests).toHaveLength(2);
});

test("a replaced refresh token is kept, and used after a restart; one that is refused gives way to the configured one", async () => {
  provider.rotates = true;
  await channel.start(soon());
  await channel.stop(soon());
  expect(host.state.secretKeys).toEqual([expect.stringMatching(/^oauth\/[0-9a-f]{32}$/)]);
  channel = create();
  await channel.start(soon());
  expect(provider.requests.map((form) => form.get("refresh_token"))).toEqual(["refresh-token-0", "refresh-token-1"]);
  await channel.stop(soon());
  provider.refreshToken = "refresh-token-0";
  channel = create();
  await channel.start(soon());
  expect(provider.requests.slice(2).map((form) => form.get("refresh_token"))).toEqual(["refresh-token-2", "refresh-token-0"]);
});

test.each([
  [
    { status: 400, body: { error: "invalid_grant", error_description: "expired" } },
    "unauthorized",
    "refuses the login (invalid_grant: expired)",
  ],
  [{ status: 401, body: { error: "invalid_client" } }, "unauthorized", "refuses the login (invalid_client)"],
  [{ status: 429, body: { error: "slow_down" } }, "unreachable", "answered with status 429"],
  [{ status: 503, body: "busy" }, "unreachable", "answered with status 503"],
  [{ status: 200, body: {} }, "unreachable", "answered with no access token"],
  [{ status: 400, body: "not JSON" }, "unreachable", "answered with status 400"],
])("an answer %j of the provider is %s, for reading and sending", async (answer, code, reason) => {
  provider.answers.push(answer, answer);
  await expect(channel.start(soon())).rejects.toMatchObject({ code, message: expect.stringContaining(reason) as string });
  expect(await send()).toMatchObject({ type: "rejected", code });
  for (const secret of [provider.clientSecret, "refresh-token"]) expect(host.logLines.join("\n")).not.toContain(secret);
});

test("a provider that cannot be reached leaves a send untouched", async () => {
  await provider[Symbol.asyncDispose]();
  expect(await send()).toMatchObject({ type: "rejected", code: "unreachable" });
  provider = await FakeTokenEndpoint.start();
});

test("a token of somebody else is used as it is, and each server can have its own login", async () => {
  valid = (token) => token === "own" || token === "access-token-1";
  channel = create({ accessToken: "own" }, { oauth: oauth() });
  await channel.start(soon());
  expect(provider.requests).toEqual([]);
  expect(await send()).toMatchObject({ type: "accepted" });
  expect(provider.requests).toHaveLength(1);
});
