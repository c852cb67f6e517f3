import { TestHost } from "@factotum/channel-conformance";
import { FakeSlack, ManualClock } from "@factotum/testing-channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSlackApi, isOfPlatform } from "./slack-api.ts";

const { signal } = new AbortController();
let slack: FakeSlack;

beforeEach(async () => {
  slack = await FakeSlack.start();
});
afterEach(async () => slack[Symbol.asyncDispose]());

const api = (host = new TestHost()) =>
  createSlackApi({ botToken: slack.app.botToken, baseUrl: slack.baseUrl, transport: { type: "socket", appToken: "a" } }, host);

test("an accepted answer has the granted scopes", async () => {
  expect(await api().call("auth.test", {}, { signal })).toMatchObject({
    user_id: slack.app.bot.userId,
    response_metadata: { scopes: [...slack.app.scopes] },
  });
});

test.each([
  [
    { type: "refuse", error: "not_in_channel" },
    { type: "refused", code: "not_in_channel" },
  ],
  [
    { type: "rate-limit", seconds: 12 },
    { type: "http", status: 429, retryAfterMs: 12_000 },
  ],
  [
    { type: "http", status: 503 },
    { type: "http", status: 503 },
  ],
  [{ type: "drop" }, { type: "no-answer" }],
] as const)("a fault %j is one request, and the failure %j", async (fault, reason) => {
  slack.failNext(fault);
  await expect(api().call("chat.postMessage", { channel: "D0ALICE", text: "x" }, { signal })).rejects.toMatchObject({ reason });
  expect(slack.requests).toHaveLength(1);
});

test("the platform's explanation of a refusal is in the message", async () => {
  const blocks = [{ type: "section", text: { type: "mrkdwn", text: "x".repeat(3_001) } }];
  await expect(api().call("chat.postMessage", { channel: "D0ALICE", text: "x", blocks }, { signal })).rejects.toThrow(
    /invalid_blocks \(\[ERROR\] must be less than 3001 characters\)/,
  );
});

test("an answer that is not the platform's is no answer", async () => {
  const host = new TestHost({ fetch: async () => Promise.resolve(new Response("<html>captive portal</html>")) });
  await expect(api(host).call("auth.test", {}, { signal })).rejects.toMatchObject({ reason: { type: "no-answer" } });
});

test("a request without an answer ends after fifteen seconds", async () => {
  const clock = new ManualClock();
  const asked = Promise.withResolvers<void>();
  const fetchNow: typeof fetch = async (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      asked.resolve();
    });
  const call = api(new TestHost({ clock, fetch: fetchNow })).call("auth.test", {}, { signal });
  await asked.promise;
  clock.advance(15_000);
  await expect(call).rejects.toMatchObject({ reason: { type: "no-answer" } });
  expect(clock.pending).toEqual([]);
});

test("a call whose signal has fired is not sent", async () => {
  await expect(api().call("auth.test", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ reason: { type: "not-sent" } });
  expect(slack.requests).toEqual([]);
});

test("the bot token is sent to the platform's hosts only", async () => {
  for (const url of ["http://127.0.0.1:9/files-pri/T-F1/x", "https://files.slack.com.evil.example/x", "file:///etc/passwd", "x"])
    await expect(api().download(url, { signal, maxBytes: 10 })).rejects.toMatchObject({ reason: { type: "refused" } });
  expect(isOfPlatform("https://files.slack.com/files-pri/T-F1/x", "https://slack.com")).toBe(true);
  for (const host of ["evilslack.com", "evilslack-files.com", "slack.com.evil.example"])
    expect(isOfPlatform(`https://${host}/x`, "https://slack.com")).toBe(false);
  expect(isOfPlatform("http://files.slack.com/files-pri/T-F1/x", "https://slack.com")).toBe(false);
});

test("a redirect is not followed with the token", async () => {
  const host = new TestHost({
    fetch: async () => Promise.resolve(new Response(null, { status: 302, headers: { location: "https://evil.example/" } })),
  });
  await expect(api(host).download(`${slack.baseUrl}/files-pri/x`, { signal, maxBytes: 10 })).rejects.toMatchObject({
    reason: { type: "refused", code: "permission_denied" },
  });
});
