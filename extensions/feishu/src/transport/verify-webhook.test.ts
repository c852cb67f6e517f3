import { encryptFeishuPayload, feishuChallengeRequest, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FakeFeishuApp, FeishuWebhookOptions } from "@factotum/testing-channels";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifyWebhook } from "./verify-webhook.ts";
import type { VerifiedWebhook } from "./verify-webhook.ts";

const nowMs = 1_767_225_600_000;
const app = { encryptKey: "the encrypt key", verificationToken: "the token", now: () => nowMs } as FakeFeishuApp;
const payload = { schema: "2.0", header: { event_id: "e1", token: app.verificationToken }, event: { text: "你好 👋" } };

async function verify(request: Request): Promise<VerifiedWebhook> {
  return verifyWebhook(new Uint8Array(await request.arrayBuffer()), request.headers, { ...app, nowMs });
}
const push = (body: unknown, options?: FeishuWebhookOptions): Promise<VerifiedWebhook> =>
  verify(feishuWebhookRequest(app, "http://127.0.0.1/", body, options));

test("an encrypted and signed event is read", async () => {
  expect(await push(payload)).toEqual({ type: "event", event: payload });
});

test("a signed event that is not encrypted is read", async () => {
  expect(await push(payload, { encrypt: false })).toEqual({ type: "event", event: payload });
});

test.each<[string, FeishuWebhookOptions]>([
  ["without a signature", { signature: "missing" }],
  ["signed with another key", { signature: "wrong" }],
  ["with a space added after it was signed", { tamper: (body) => `${body} ` }],
  ["five minutes and a second old", { timestampMs: nowMs - 301_000 }],
  ["a day old", { timestampMs: nowMs - 86_400_000 }],
  ["from six minutes ahead", { timestampMs: nowMs + 360_000 }],
])("an event %s is refused", async (_, options) => {
  expect(await push(payload, options)).toMatchObject({ type: "refused", status: 401 });
  expect(await push(payload, { encrypt: false, ...options })).toMatchObject({ type: "refused", status: 401 });
});

test("an event that is hours old is read when its push is fresh: that is how redeliveries come", async () => {
  const old = { ...payload, header: { ...payload.header, create_time: String(nowMs - 7 * 3_600_000) } };
  expect(await push(old)).toMatchObject({ type: "event" });
});

test.each([
  ["another token", { ...payload, header: { ...payload.header, token: "another" } }],
  ["no token", { ...payload, header: { event_id: "e1" } }],
  ["a token that is no text", { ...payload, header: { event_id: "e1", token: [app.verificationToken] } }],
  ["the token of schema 1.0 in the place of that of 2.0", { ...payload, header: { token: "x" }, token: app.verificationToken }],
])("a signed event with %s is refused", async (_, body) => {
  expect(await push(body)).toMatchObject({ type: "refused", status: 401 });
});

test("an event of schema 1.0 has its token at the top", async () => {
  expect(await push({ token: app.verificationToken, type: "event_callback", event: {} })).toMatchObject({ type: "event" });
});

describe("the challenge", () => {
  const challenge = (options: { token?: string; encrypt?: boolean }): Promise<VerifiedWebhook> =>
    verify(feishuChallengeRequest(app, "http://127.0.0.1/", { challenge: "abc", ...options }));

  test.each([true, false])("is answered for the right token (encrypted: %s)", async (encrypt) => {
    const answer = await challenge({ encrypt });
    expect(answer.type === "answer" && (await answer.response.json())).toEqual({ challenge: "abc" });
  });

  test.each([true, false])("is not answered for another token (encrypted: %s)", async (encrypt) => {
    expect(await challenge({ encrypt, token: "another" })).toMatchObject({ type: "refused", status: 401 });
  });

  test("has to be a text", async () => {
    expect(await push({ type: "url_verification", token: app.verificationToken, challenge: { a: 1 } })).toMatchObject({ type: "refused" });
  });
});

test("an unsigned request gets the same answer for any fault in its encryption", async () => {
  const answers = new Set<string>();
  const bodies = [
    JSON.stringify({ encrypt: encryptFeishuPayload(app.encryptKey, JSON.stringify(payload)) }),
    JSON.stringify({ encrypt: encryptFeishuPayload("another key", JSON.stringify(payload)) }),
    JSON.stringify({ encrypt: encryptFeishuPayload(app.encryptKey, "no json") }),
    JSON.stringify({ encrypt: "AAAA" }),
    JSON.stringify({ encrypt: Buffer.alloc(64).toString("base64") }),
    JSON.stringify({ encrypt: 7 }),
    "no json",
    "",
  ];
  for (const body of bodies) answers.add(JSON.stringify(verifyWebhook(Buffer.from(body), new Headers(), { ...app, nowMs })));
  expect(answers.size).toBe(1);
});

test("no bytes and no headers make it throw or believe", () => {
  const headers = fc.record({
    "x-lark-signature": fc.stringMatching(/^[0-9a-f]{64}$/),
    "x-lark-request-timestamp": fc.constantFrom(String(nowMs / 1_000), "", "abc"),
    "x-lark-request-nonce": fc.constantFrom("", "n"),
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => Buffer.from(text)),
      ),
      headers,
      (bytes, values) => {
        const clean = Object.entries(values).map(([name, value]): [string, string] => [name, value.replace(/[^\x21-\x7e]/g, "")]);
        expect(verifyWebhook(bytes, new Headers(clean), { ...app, nowMs }).type).toBe("refused");
      },
    ),
  );
});
