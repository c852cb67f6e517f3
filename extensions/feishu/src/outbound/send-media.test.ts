import { TestHost } from "@factotum/channel-conformance";
import type { Channel, Media, Origin, SendReceipt } from "@factotum/channel-contract";
import { FakeFeishu } from "@factotum/testing-channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFeishuChannel } from "../channel.ts";

const BYTES = Buffer.from("some bytes");
const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const MP4 = Buffer.from("\0\0\0\x18ftypisom\0\0\0\0");

/** An Ogg file with an Opus stream of so many samples. */
function opus(samples: number): Buffer {
  const page = (position: number, data: string): Buffer => {
    const header = Buffer.alloc(27);
    header.write("OggS");
    header.writeBigInt64LE(BigInt(position), 6);
    return Buffer.concat([header, Buffer.from(data)]);
  };
  return Buffer.concat([page(0, "OpusHead"), page(samples, "sound")]);
}

let feishu: FakeFeishu;
beforeEach(async () => {
  feishu = await FakeFeishu.start();
});
afterEach(() => feishu[Symbol.asyncDispose]());

function channel(host = new TestHost()): Channel {
  const { appId, appSecret } = feishu.app;
  return createFeishuChannel({ appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport: { type: "websocket" } }, host);
}

async function send(media: Partial<Media>, options: { readonly host?: TestHost; readonly key?: string } = {}): Promise<SendReceipt> {
  const target: Origin = { channel: "feishu", accountId: "second", conversation: { kind: "group", id: "oc_group" } };
  const whole: Media = { kind: "file", mimeType: "application/octet-stream", fileName: "a.bin", bytes: BYTES, ...media };
  const { host, key = "key-1" } = options;
  const outbound = { type: "media" as const, media: whole };
  return channel(host).send(target, outbound, { idempotencyKey: key, signal: new AbortController().signal });
}

const uploads = (): unknown[] => feishu.requests.filter(({ path }) => /\/(?:images|files)$/.test(path));

test.each<[Partial<Media> & Pick<Media, "bytes">, string]>([
  [{ kind: "image", fileName: "a.png", bytes: PNG }, "image"],
  [{ kind: "image", fileName: "a.jpg", bytes: Buffer.from("ffd8ffe000104a464946", "hex") }, "image"],
  [{ kind: "image", fileName: "a.webp", bytes: Buffer.from("RIFF0000WEBPVP8 ") }, "image"],
  [{ kind: "image", mimeType: "image/svg+xml", fileName: "a.svg", bytes: Buffer.from("<svg/>") }, "file"],
  // The name and the declared type are wrong.
  [{ kind: "image", mimeType: "image/png", fileName: "a.png", bytes: BYTES }, "file"],
  [{ kind: "audio", fileName: "a.ogg", bytes: opus(96_000) }, "audio"],
  [{ kind: "audio", mimeType: "audio/ogg", fileName: "a.ogg", bytes: Buffer.from("OggS\0\x02 vorbis") }, "file"],
  [{ kind: "audio", mimeType: "audio/mpeg", fileName: "a.mp3", bytes: Buffer.from("ID3") }, "file"],
  [{ kind: "video", fileName: "a.mp4", bytes: MP4 }, "media"],
  [{ kind: "video", mimeType: "video/webm", fileName: "a.webm", bytes: Buffer.from("1a45dfa3", "hex") }, "file"],
  // The kind is the sender's wish.
  [{ kind: "file", fileName: "a.png", bytes: PNG }, "file"],
  [{ fileName: "a.PDF", bytes: BYTES }, "file"],
])("%j is shown as %s", async (media, messageType) => {
  const { bytes } = media;
  expect((await send(media)).type).toBe("accepted");
  expect(feishu.sent.map((message) => message.messageType)).toEqual([messageType]);
  expect([...feishu.uploads.values()].map((upload) => Buffer.from(upload.bytes))).toEqual([bytes]);
});

test("a second try under the same key shows nothing twice", async () => {
  const first = await send({});
  expect(await send({})).toEqual(first);
  expect(feishu.sent.map((message) => message.messageType)).toEqual(["file"]);
});

test.each([
  [opus(96_000), 2_000],
  [opus(0), undefined],
  [Buffer.concat([opus(48_000), Buffer.from("OggS")]), 1_000],
])("a voice message has its length", async (bytes, durationMs) => {
  await send({ kind: "audio", fileName: "a.ogg", bytes });
  expect([...feishu.uploads.values()].map((upload) => upload.durationMs)).toEqual([durationMs]);
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
