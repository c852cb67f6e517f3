import { TestHost } from "@factotum/channel-conformance";
import type { Channel, Media, Origin, SendReceipt } from "@factotum/channel-contract";
import { FakeFeishu } from "@factotum/testing-channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFeishuChannel } from "../channel.ts";

const BYTES = Buffer.from("some bytes");
let feishu: FakeFeishu;
beforeEach(async () => {
  feishu = await FakeFeishu.start();
});
afterEach(() => feishu[Symbol.asyncDispose]());

function channel(host = new TestHost()): Channel {
  const { appId, appSecret } = feishu.app;
  return createFeishuChannel({ appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport: { type: "websocket" } }, host);
}

async function send(
  media: Partial<Media>,
  options: { readonly caption?: string; readonly host?: TestHost; readonly key?: string } = {},
): Promise<SendReceipt> {
  const target: Origin = { channel: "feishu", accountId: "second", conversation: { kind: "group", id: "oc_group" } };
  const whole: Media = { kind: "file", mimeType: "application/octet-stream", fileName: "a.bin", bytes: BYTES, ...media };
  const { caption, host, key = "key-1" } = options;
  const outbound = { type: "media" as const, media: whole, ...(caption === undefined ? {} : { caption }) };
  return channel(host).send(target, outbound, { idempotencyKey: key, signal: new AbortController().signal });
}

const uploads = (): unknown[] => feishu.requests.filter(({ path }) => /\/(?:images|files)$/.test(path));

test.each<[Partial<Media>, string]>([
  [{ kind: "image", mimeType: "image/png", fileName: "a.png" }, "image"],
  [{ kind: "image", mimeType: "image/svg+xml", fileName: "a.svg" }, "file"],
  [{ kind: "audio", mimeType: "audio/ogg", fileName: "a.ogg" }, "audio"],
  [{ kind: "audio", mimeType: "audio/mpeg", fileName: "a.mp3" }, "file"],
  [{ kind: "video", mimeType: "video/mp4", fileName: "a.mp4" }, "media"],
  [{ kind: "video", mimeType: "video/webm", fileName: "a.webm" }, "file"],
  [{ fileName: "a.PDF" }, "file"],
])("%j is shown as %s", async (media, messageType) => {
  const bytes = messageType === "image" ? Buffer.from("89504e470d0a1a0a", "hex") : BYTES;
  expect((await send({ ...media, bytes })).type).toBe("accepted");
  expect(feishu.sent.map((message) => message.messageType)).toEqual([messageType]);
  expect([...feishu.uploads.values()].map((upload) => Buffer.from(upload.bytes))).toEqual([bytes]);
});

test("a caption follows, and a second try under the same key shows nothing twice", async () => {
  const first = await send({}, { caption: "**see**" });
  const second = await send({}, { caption: "**see**" });
  expect(second).toEqual(first);
  expect(feishu.sent.map((message) => message.messageType)).toEqual(["file", "post"]);
});

test("a failure before the platform has the file is never ambiguous, and can be retried", async () => {
  const broken = new TestHost({
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const address = input instanceof Request ? input.url : input.toString();
      if (!address.endsWith("/files")) return response;
      await response.arrayBuffer();
      throw new TypeError("fetch failed");
    },
  });
  expect(await send({}, { host: broken })).toMatchObject({ type: "rejected", code: "unreachable", retry: { type: "backoff" } });
  expect(feishu.sent).toEqual([]);
  expect(uploads()).toHaveLength(1);
  expect((await send({})).type).toBe("accepted");
});

test.each([
  ["a fetch that does not support such a body", new TypeError("This fetch takes an address, and a text for body.")],
  ["a file that cannot be read", Object.assign(new Error("EACCES: permission denied, open"), { code: "EACCES", syscall: "open" })],
])("%s is refused for good, on the way to the upload and to the token", async (_name, failure) => {
  for (const path of ["/files", "/tenant_access_token/internal"]) {
    const host = new TestHost({
      fetch: async (input, init) => {
        const address = input instanceof Request ? input.url : input.toString();
        if (address.endsWith(path)) throw failure;
        return fetch(input, init);
      },
    });
    expect(await send({}, { host })).toMatchObject({ type: "rejected", code: "rejected", retry: { type: "never" } });
  }
  expect(feishu.sent).toEqual([]);
});

test("an empty or too large file is refused without a request", async () => {
  expect(await send({ bytes: new Uint8Array() })).toMatchObject({ type: "rejected", code: "rejected", retry: { type: "never" } });
  const large = new Uint8Array(10 * 1024 * 1024 + 1);
  expect(await send({ kind: "image", mimeType: "image/png", bytes: large })).toMatchObject({ type: "rejected", code: "too-long" });
  expect(uploads()).toEqual([]);
  expect(await send({ bytes: large })).toMatchObject({ type: "accepted" });
});
