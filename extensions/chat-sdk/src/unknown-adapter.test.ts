import { TestHost } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { installSample } from "../test/sample-adapter.ts";
import type { SampleModule } from "../test/sample-adapter.ts";
import { createChannel } from "./channel.ts";

const soon = () => ({ signal: AbortSignal.timeout(60_000) });
const ADA = { thread: "sample:room:t1", id: "m1", from: "ada", text: "Hello" };

interface SampleScene extends AsyncDisposable {
  readonly channel: Channel;
  readonly sample: SampleModule;
  readonly host: TestHost;
  /** Posts an event; resolves with status and text of the answer. */
  post(event: object): Promise<readonly [number, string]>;
}

async function startSample(host: TestHost = new TestHost()): Promise<SampleScene> {
  const project = await installSample();
  const channel = createChannel({ adapter: "sample-adapter", options: { word: "as it is" } }, host, project.from);
  await channel.start(soon());
  return {
    channel,
    host,
    sample: await project.load(),
    async post(event) {
      const response = await channel.handleWebhook(
        new Request("http://127.0.0.1/hook", { method: "POST", body: JSON.stringify(event) }),
        soon(),
      );
      return [response.status, await response.text()];
    },
    async [Symbol.asyncDispose]() {
      await channel.stop({ signal: AbortSignal.abort() });
      await project[Symbol.asyncDispose]();
    },
  };
}

test("has the declared minimum, the actions of its methods, and its options as they are", async () => {
  await using scene = await startSample();
  const { capabilities } = scene.channel;
  expect(capabilities).toMatchObject({ inbound: { delivery: "once", transport: "webhook" }, edit: false, cards: false, media: [] });
  expect(capabilities.inbound.webhookAuth).toBeUndefined();
  expect(capabilities.actions).toEqual(["member-info"]);
  expect(scene.sample.adapters[0]?.options).toMatchObject({ word: "as it is" });
  const target = { channel: "chat-sdk", accountId: "second", conversation: { kind: "group", id: "sample:room" } } as const;
  const info = await scene.channel.act({ name: "member-info", target, parameters: { userId: "ada" } }, soon());
  expect(info.value).toEqual({ id: "ada", name: "Ada" });
  await expect(scene.channel.act({ name: "member-info", target, parameters: { userId: "eve" } }, soon())).rejects.toThrow("not known");
});

test("a message has the adapter's ids, and the adapter's answer is given after the commit", async () => {
  await using scene = await startSample();
  expect(await scene.post(ADA)).toEqual([200, "taken"]);
  expect(scene.host.stored).toEqual([
    {
      origin: { channel: "chat-sdk", accountId: "second", conversation: { kind: "group", id: "sample:room", threadId: "sample:room:t1" } },
      eventId: "m1",
      messageId: "m1",
      timestampMs: 1_700_000_000_000,
      event: { type: "message" },
      sender: { id: "ada", name: "The ada", handle: "ada", isBot: false },
      text: "Hello",
      mentionsBot: false,
      attachments: [],
    },
  ]);
  await scene.post({ ...ADA, id: "m2", thread: "sample:d1" });
  expect(scene.host.stored[1]?.origin.conversation).toEqual({ kind: "direct", id: "sample:d1" });
});

test("formatting that the adapter stripped from the text is kept as Markdown", async () => {
  await using scene = await startSample();
  const text = { type: "text", value: "loud" };
  const formatted = { type: "root", children: [{ type: "paragraph", children: [{ type: "strong", children: [text] }] }] };
  await scene.post({ ...ADA, text: "loud", formatted });
  await scene.post({ ...ADA, id: "m2", text: "**loud**", formatted });
  expect(scene.host.stored.map((message) => message.text)).toEqual(["**loud**", "**loud**"]);
});

test("edits, deletions and commands are events with ids of their content", async () => {
  await using scene = await startSample();
  for (const text of ["one", "two", "two"]) await scene.post({ ...ADA, edited: true, text });
  await scene.post({ type: "delete", ...ADA });
  await scene.post({ type: "delete", thread: ADA.thread, id: "m9" });
  await scene.post({ type: "command", ...ADA });
  expect(scene.host.stored.map(({ command, event, text }) => [event.type, text, command?.name])).toEqual([
    ["edit", "one", undefined],
    ["edit", "two", undefined],
    ["delete", "", undefined],
    ["message", "/think high", "think"],
  ]);
});

test("the bot's own messages are ignored, and what cannot be read is counted", async () => {
  await using scene = await startSample();
  expect(await scene.post({ ...ADA, from: "me" })).toEqual([200, "taken"]);
  expect(await scene.post({ ...ADA, type: "broken" })).toEqual([200, "taken"]);
  expect(await scene.post({ ...ADA, id: "" })).toEqual([200, "taken"]);
  expect(scene.host.received).toEqual([]);
  expect(scene.channel.health().detail).toContain("2 messages could not be read");
});

test("a message that was not stored is refused, kept in memory and stored later, in order", async () => {
  const clock = new ManualClock();
  await using scene = await startSample(new TestHost({ clock }));
  scene.host.failNext();
  expect((await scene.post(ADA))[0]).toBe(503);
  scene.host.failNext();
  const later = scene.sample.adapters[0]?.happen({ ...ADA, id: "m2", text: "by itself" });
  await expect.poll(() => scene.channel.health().state).toBe("degraded");
  expect(scene.channel.health().detail).toContain("not stored yet");
  clock.advance(60_000);
  await later;
  expect(scene.host.stored.map(({ messageId }) => messageId)).toEqual(["m1", "m2"]);
});

test.each([
  [{ type: "throws" }, 400],
  [{ type: "fails" }, 503],
])("a request on which the adapter throws (%j) is answered with %i", async (event, status) => {
  await using scene = await startSample();
  expect((await scene.post(event))[0]).toBe(status);
});

test("what an adapter writes about a request that it refuses is forgotten", async () => {
  await using scene = await startSample();
  expect((await scene.post({ type: "state", id: "x", status: 503 }))[0]).toBe(503);
  expect(await scene.post({ type: "seen" })).toEqual([200, "null"]);
  await scene.post({ type: "state", id: "x", status: 200 });
  expect(await scene.post({ type: "seen" })).toEqual([200, "x"]);
});

test("a text is sent in parts that are within the limit after the adapter has rendered them", async () => {
  await using scene = await startSample();
  const target = {
    channel: "chat-sdk",
    accountId: "second",
    conversation: { kind: "group", id: "sample:room", threadId: "sample:room:t1" },
  } as const;
  const text = "A sentence with words. ".repeat(60).trim();
  const receipt = await scene.channel.send(target, { type: "text", text }, { ...soon(), idempotencyKey: "k" });
  const parts = scene.sample.sent.map(({ message }) => (message as { readonly markdown: string }).markdown);
  expect(receipt).toMatchObject({ type: "accepted", messageIds: { length: parts.length } });
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.join(" ")).toBe(text);
  expect(scene.sample.sent[0]?.threadId).toBe("sample:room:t1");
});

test("the adapter's log has no fields, which can be texts of messages", async () => {
  await using scene = await startSample();
  scene.sample.adapters[0]?.options.logger.warn("it happened", { text: "very private" });
  expect(scene.host.logLines.filter((line) => line.includes("it happened"))).toHaveLength(1);
  expect(scene.host.logLines.join("\n")).not.toContain("very private");
});

test("a send on which the adapter hangs is ambiguous after a while, and holds up no later one", async () => {
  const clock = new ManualClock();
  await using scene = await startSample(new TestHost({ clock }));
  const target = { channel: "chat-sdk", accountId: "second", conversation: { kind: "group", id: "sample:room" } } as const;
  const send = async (text: string) => scene.channel.send(target, { type: "text", text }, { ...soon(), idempotencyKey: text });
  const [hanging, next] = [send("hang"), send("next")];
  await expect.poll(() => scene.sample.sent.length).toBe(1);
  clock.advance(120_000);
  expect(await hanging).toMatchObject({ type: "ambiguous", cause: "the adapter did not answer within two minutes" });
  expect(await next).toMatchObject({ type: "accepted" });
});

test("a probe says that the adapter was not tested, and passes on no event", async () => {
  await using scene = await startSample();
  const probed = await scene.channel.probe?.(soon());
  expect(probed).toMatchObject({
    account: { id: "sample", name: "sample" },
    notes: [expect.stringContaining("was not tested with this channel")],
  });
  await scene.sample.adapters[1]?.happen(ADA);
  expect(scene.host.received).toEqual([]);
});
