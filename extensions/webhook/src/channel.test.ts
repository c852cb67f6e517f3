import { messageId } from "@factotum/channel-contract";
import { FakeWebhookService } from "@factotum/testing-channels";
import type { AttachmentRef, Origin } from "@factotum/channel-contract";
import { TestHost } from "@factotum/channel-conformance";
import { expect, test } from "vitest";
import { createWebhookChannel } from "./index.ts";

const signal = AbortSignal.timeout(30_000);
const origin: Origin = { channel: "webhook", accountId: "default", conversation: { kind: "group", id: "room" } };

function channelOf({ secret, outboundUrl }: Pick<FakeWebhookService, "secret" | "outboundUrl">) {
  return createWebhookChannel({ secret, outboundUrl }, new TestHost());
}

test("without an id in the service's answer, a message has the id of its request; a repeated request is shown once", async () => {
  await using service = await FakeWebhookService.start();
  service.givesIds = false;
  const channel = channelOf(service);
  const send = () => channel.send(origin, { type: "text", text: "Hi" }, { signal, idempotencyKey: "key-1" });
  expect(await send()).toEqual({ type: "accepted", messageIds: [messageId("key-1")] });
  expect(await send()).toEqual({ type: "accepted", messageIds: [messageId("key-1")] });
  expect(service.received).toHaveLength(1);
});

test("an answer over the limit accepts the message all the same", async () => {
  await using service = await FakeWebhookService.start();
  service.answerBytes = 100_000;
  const channel = channelOf(service);
  expect(await channel.send(origin, { type: "text", text: "Hi" }, { signal, idempotencyKey: "k1" })).toEqual({
    type: "accepted",
    messageIds: [messageId("k1")],
  });
});

test("a file is fetched from the service alone, with a signature", async () => {
  await using service = await FakeWebhookService.start();
  await using stranger = await FakeWebhookService.start();
  for (const { files } of [service, stranger]) files.set("/a.txt", Buffer.from("hello"));
  const channel = channelOf(service);
  const fetchRef = (ref: string) =>
    channel.fetchAttachment({ kind: "file", ref, fileName: "a.txt" } satisfies AttachmentRef, { signal, maxBytes: 5 });
  expect(await fetchRef(`${service.url}/a.txt`)).toEqual({
    kind: "file",
    mimeType: "application/octet-stream",
    fileName: "a.txt",
    bytes: new Uint8Array(Buffer.from("hello")),
  });
  for (const ref of [`${stranger.url}/a.txt`, "file:///etc/passwd", "nonsense", service.url.replace("127.0.0.1", "localhost")]) {
    await expect(fetchRef(ref)).rejects.toMatchObject({ code: "forbidden", message: expect.stringContaining(service.url) });
  }
  service.files.set("/a.txt", Buffer.from("hello!"));
  await expect(fetchRef(`${service.url}/a.txt`)).rejects.toMatchObject({ code: "too-long" });
  await expect(fetchRef(`${service.url}/missing`)).rejects.toMatchObject({ code: "not-found" });
});

test("a probe asks the service for nothing but its signature", async () => {
  await using service = await FakeWebhookService.start();
  expect(await channelOf(service).probe?.({ signal })).toEqual({ account: { id: new URL(service.url).host }, missingPermissions: [] });
  expect([service.pings, service.sendRequests]).toEqual([1, 0]);
  const secret = `whsec_${Buffer.alloc(24, 3).toString("base64")}`;
  await expect(channelOf({ secret, outboundUrl: service.outboundUrl }).probe?.({ signal })).rejects.toMatchObject({
    code: "unauthorized",
    message: "the service answered with 401, unauthorized: the signature is wrong",
  });
});

test.each([
  ["user:alice", { kind: "direct", id: "alice" }],
  ["group: room 1", undefined],
  ["group:room 1", { kind: "group", id: "room 1" }],
  [" channel:news ", { kind: "channel", id: "news" }],
  ["alice", undefined],
  ["user:", undefined],
])("%j names %j", async (query, conversation) => {
  await using service = await FakeWebhookService.start();
  const target = await channelOf(service).resolveTarget(query, { signal });
  expect(target?.conversation).toEqual(conversation);
});
