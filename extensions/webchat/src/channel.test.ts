import { type ChannelHost, ChannelError, messageId, MsgContextSchema, type MsgContext, type Origin } from "@factotum/channel-contract";
import { MemoryAccountState } from "@factotum/channel-conformance";
import { expect, test } from "vitest";
import { FakeSocket } from "../test/fake-socket.ts";
import { createWebchatChannel, WebchatConfigSchema, webchatExtension } from "./index.ts";

const KEY = "agent:main:webchat:direct:ab12";
const target: Origin = { channel: "webchat", accountId: "default", conversation: { kind: "direct", id: KEY } };
const signal = new AbortController().signal;
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

function setUp(receive?: ChannelHost["receive"]) {
  const received: MsgContext[] = [];
  const seen = new Set<string>();
  const host: ChannelHost = {
    accountId: "default",
    admits: () => true,
    fetchPublic: () => Promise.reject(new Error("not in this test")),
    receive:
      receive ??
      (async (message) => {
        if (seen.has(message.eventId)) return "duplicate";
        seen.add(message.eventId);
        received.push(message);
        return "accepted";
      }),
    commit: async () => undefined,
    cursor: async () => undefined,
    state: new MemoryAccountState(),
    commands: { list: () => [], onChange: () => ({ [Symbol.dispose]() {} }) },
    webhookUrl: undefined,
    clock: { now: () => 1_700_000_000_000, monotonic: () => 0, schedule: () => ({ [Symbol.dispose]() {} }) },
    logger: silent,
    fetch: () => Promise.reject(new Error("WebChat fetches nothing.")),
    random: { bytes: (count) => new Uint8Array(count), uuid: () => "uuid", float: () => 0 },
  };
  const socket = new FakeSocket();
  return { socket, received, channel: createWebchatChannel({}, host, { socket }) };
}

const input = { sessionKey: KEY, text: "hello **you**", idempotencyKey: "k-1", clientName: "control-ui" };

test("an input becomes a direct message of the owner, addressed by its session key", async () => {
  const { socket, channel, received } = setUp();
  await channel.start({ signal });
  expect(await socket.input(input)).toBe("accepted");
  expect(received).toEqual([
    {
      origin: target,
      eventId: "k-1",
      messageId: "k-1",
      timestampMs: 1_700_000_000_000,
      event: { type: "message" },
      sender: { id: "owner", isBot: false },
      text: "hello **you**",
      mentionsBot: false,
      attachments: [],
    },
  ]);
  expect(MsgContextSchema.parse(JSON.parse(JSON.stringify(received[0])))).toEqual(received[0]);
  expect(channel.health()).toEqual({ state: "connected", evidenceAtMs: 1_700_000_000_000 });
});

test("images that were handed in are attachments, and fetched from the socket", async () => {
  const { socket, channel, received } = setUp();
  await channel.start({ signal });
  const attachments = [{ ref: "upload:1", fileName: "a.png" }, { ref: "upload:2" }];
  await socket.input({ ...input, text: "", attachments });
  expect(received[0]?.attachments).toEqual([
    { kind: "image", ref: "upload:1", fileName: "a.png" },
    { kind: "image", ref: "upload:2" },
  ]);
  socket.uploads.set("upload:1", new Uint8Array([1, 2, 3]));
  const ref = { kind: "image", ref: "upload:1" } as const;
  expect(await channel.fetchAttachment(ref, { signal, maxBytes: 3 })).toMatchObject({ kind: "image", bytes: new Uint8Array([1, 2, 3]) });
  await expect(channel.fetchAttachment(ref, { signal, maxBytes: 2 })).rejects.toMatchObject({ code: "too-long" });
});

test("a resend is the same event, and an input that could not be stored is not acknowledged", async () => {
  const first = setUp();
  await first.channel.start({ signal });
  await first.socket.input(input);
  expect(await first.socket.input(input)).toBe("duplicate");
  expect(first.received).toHaveLength(1);

  const full = setUp(() => Promise.reject(new Error("disk full")));
  await full.channel.start({ signal });
  await expect(full.socket.input(input)).rejects.toThrow("disk full");
});

test("starting and stopping are idempotent; nothing listens after stop", async () => {
  const { socket, channel } = setUp();
  await channel.start({ signal });
  await channel.start({ signal });
  expect(socket.listeners).toBe(1);
  await channel.stop({ signal });
  await channel.stop({ signal });
  expect(socket.listeners).toBe(0);
  expect(channel.health().state).toBe("stopped");
  await channel.start({ signal });
  expect(socket.listeners).toBe(1);
});

test("text is delivered with the key of the send; the entry id is the message id", async () => {
  const { socket, channel } = setUp();
  const sent = await channel.send(target, { type: "text", text: "done" }, { signal, idempotencyKey: "s-1" });
  expect(sent).toEqual({ type: "accepted", messageIds: ["entry-1"] });
  const again = await channel.send(target, { type: "text", text: "done" }, { signal, idempotencyKey: "s-1" });
  expect(again).toEqual(sent);
  expect(socket.deliveries).toEqual([{ type: "text", sessionKey: KEY, idempotencyKey: "s-1", text: "done" }]);
});

test("an undeclared capability is refused permanently, without a delivery", async () => {
  const { socket, channel } = setUp();
  for (const outbound of [{ type: "typing" }, { type: "edit", targetId: messageId("entry-1"), text: "done." }] as const) {
    const receipt = await channel.send(target, outbound, { signal, idempotencyKey: "s-1" });
    expect(receipt).toMatchObject({ type: "rejected", code: "rejected", retry: { type: "never" } });
  }
  expect(socket.deliveries).toEqual([]);
  await expect(channel.act({ name: "pin", target, parameters: {} }, { signal })).rejects.toSatisfy((error) =>
    ChannelError.isInstance(error),
  );
  await expect(channel.fetchAttachment({ kind: "file", ref: "x" }, { signal, maxBytes: 1 })).rejects.toMatchObject({ code: "not-found" });
  expect((await channel.handleWebhook(new Request("http://127.0.0.1/"), { signal })).status).toBe(404);
});

test("a delivery that was not stored may be retried; one that was aborted in flight is ambiguous", async () => {
  const { socket, channel } = setUp();
  socket.beforeStore = () => Promise.reject(new Error("database is locked"));
  expect(await channel.send(target, { type: "text", text: "a" }, { signal, idempotencyKey: "s-1" })).toEqual({
    type: "rejected",
    code: "unreachable",
    retry: { type: "backoff" },
    message: "The entry could not be stored: database is locked",
  });

  const abort = new AbortController();
  socket.beforeStore = async () => abort.abort();
  const ambiguous = await channel.send(target, { type: "text", text: "b" }, { signal: abort.signal, idempotencyKey: "s-2" });
  expect(ambiguous.type).toBe("ambiguous");
  const late = await channel.send(target, { type: "text", text: "c" }, { signal: abort.signal, idempotencyKey: "s-3" });
  expect(late).toMatchObject({ type: "rejected", code: "unreachable" });
  expect(socket.deliveries).toEqual([]);
});

test("sends of one conversation keep their order, and those of another do not wait", async () => {
  const { socket, channel } = setUp();
  const gate = Promise.withResolvers<void>();
  socket.beforeStore = (delivery) => (delivery.idempotencyKey === "s-1" ? gate.promise : Promise.resolve());
  const other = { ...target, conversation: { ...target.conversation, id: "agent:main:main" } };
  const first = channel.send(target, { type: "text", text: "1" }, { signal, idempotencyKey: "s-1" });
  const second = channel.send(target, { type: "text", text: "2" }, { signal, idempotencyKey: "s-2" });
  await channel.send(other, { type: "text", text: "3" }, { signal, idempotencyKey: "s-3" });
  expect(socket.deliveries.map((delivery) => delivery.text)).toEqual(["3"]);
  gate.resolve();
  await Promise.all([first, second]);
  expect(socket.deliveries.map((delivery) => delivery.text)).toEqual(["3", "1", "2"]);
});

test("stop waits for the delivery in flight, and leaves queued ones to the next start", async () => {
  const { socket, channel } = setUp();
  const gate = Promise.withResolvers<void>();
  socket.beforeStore = () => gate.promise;
  await channel.start({ signal });
  const first = channel.send(target, { type: "text", text: "1" }, { signal, idempotencyKey: "s-1" });
  const second = channel.send(target, { type: "text", text: "2" }, { signal, idempotencyKey: "s-2" });
  const stopped = channel.stop({ signal });
  gate.resolve();
  await stopped;
  expect(await first).toMatchObject({ type: "accepted" });
  expect(await second).toMatchObject({ type: "rejected", code: "unreachable", retry: { type: "backoff" } });
  expect(socket.deliveries.map((delivery) => delivery.text)).toEqual(["1"]);
});

test("while inputs cannot be stored, the health reports it until one succeeds", async () => {
  let isFull = true;
  const { socket, channel } = setUp(() => (isFull ? Promise.reject(new Error("disk full")) : Promise.resolve("accepted")));
  await channel.start({ signal });
  await expect(socket.input(input)).rejects.toThrow("disk full");
  expect(channel.health()).toMatchObject({ state: "degraded", detail: expect.stringContaining("cannot be stored") });
  isFull = false;
  await socket.input(input);
  expect(channel.health()).toEqual({ state: "connected", evidenceAtMs: 1_700_000_000_000 });
});

test("only a session key is an address", async () => {
  const { channel } = setUp();
  expect(await channel.resolveTarget(`  ${KEY} `, { signal })).toEqual(target);
  for (const query of ["user:owner", "Ada", "agent:main", "agent:main:", "agent::x", ""]) {
    expect(await channel.resolveTarget(query, { signal })).toBeUndefined();
  }
});

test("an account has no settings of its own", () => {
  expect(WebchatConfigSchema.parse({})).toEqual({});
  expect(WebchatConfigSchema.safeParse({ token: "x" }).success).toBe(false);
  const extension = webchatExtension({ socket: new FakeSocket() });
  expect(extension.configSchema).toBe(WebchatConfigSchema);
  expect(extension.id).toBe("webchat");
});
