import { TestHost } from "@factotum/channel-conformance";
import type { MsgContext } from "@factotum/channel-contract";
import { raceAbort } from "@factotum/channel-kit";
import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { ALICE, BOB, DIRECT, GROUP, startScene } from "../../test/scene.ts";
import type { MatrixScene } from "../../test/scene.ts";

const html = (body: string, formatted: string): object & Record<string, unknown> => ({
  msgtype: "m.text",
  body,
  format: "org.matrix.custom.html",
  formatted_body: formatted,
});

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

async function receive(scene: MatrixScene, ...input: Parameters<MatrixScene["write"]>): Promise<MsgContext | undefined> {
  const known = scene.host.received.length;
  await scene.write(...input);
  return scene.host.received[known];
}

test("formatted text arrives as Markdown, with the people whom it names", async () => {
  await using scene = await startScene();
  await scene.start();
  const bob = '<a href="https://matrix.to/#/%40bob%3Afake.example">Bob</a>';
  const bot = '<a href="https://matrix.to/#/@factotum:fake.example">Factotum</a>';
  const message = await receive(
    scene,
    { ...html("x", `${bot}: ask <b>${bob}</b> about <code>a*b</code>`), "m.mentions": { user_ids: [BOB, scene.matrix.app.bot.id] } },
    { roomId: GROUP },
  );
  expect(message).toMatchObject({ text: "ask **@Bob** about `a*b`", mentionsBot: true, mentions: [{ id: BOB, name: "Bob" }] });
});

test("a name without an intention counts only for messages of clients that state none", async () => {
  await using scene = await startScene();
  await scene.start();
  const old = await receive(scene, { msgtype: "m.text", body: "factotum: hello" }, { roomId: GROUP });
  expect(old).toMatchObject({ mentionsBot: true, text: "hello" });
  const recent = await receive(scene, { msgtype: "m.text", body: "factotum: hello", "m.mentions": {} }, { roomId: GROUP });
  expect(recent).toMatchObject({ mentionsBot: false, text: "factotum: hello" });
});

test("the quote in front of an answer is dropped, and an answer to the bot says so", async () => {
  await using scene = await startScene();
  await scene.start();
  const receipt = await scene.send({ type: "text", text: "Tea?" }, { kind: "group", id: GROUP });
  const target = receipt.type === "accepted" ? receipt.messageIds[0] : undefined;
  const relation = { "m.relates_to": { "m.in_reply_to": { event_id: target } } };
  const plain = await receive(
    scene,
    { msgtype: "m.text", body: "> <@factotum:fake.example> Tea?\n> Or coffee?\n\nTea", ...relation },
    { roomId: GROUP },
  );
  expect(plain).toMatchObject({ text: "Tea", replyTo: { messageId: target, sender: { id: "@factotum:fake.example", isSelf: true } } });
  const formatted = await receive(
    scene,
    { ...html("x", "<mx-reply><blockquote>Tea?</blockquote></mx-reply>Green"), ...relation },
    { roomId: GROUP },
  );
  expect(formatted?.text).toBe("Green");
});

test("a reaction that is taken back names the message, the emoji and whose it was", async () => {
  await using scene = await startScene();
  await scene.start();
  const receipt = await scene.send({ type: "text", text: "Tea?" }, { kind: "group", id: GROUP });
  const target = receipt.type === "accepted" ? receipt.messageIds[0] : undefined;
  const relation = { "m.relates_to": { rel_type: "m.annotation", event_id: target, key: "👍" } };
  const reaction = await scene.write(relation, { roomId: GROUP, sender: BOB, type: "m.reaction" });
  expect(scene.host.received[0]).toMatchObject({
    event: { type: "reaction", targetId: target, emoji: "👍", removed: false, isOnOwnMessage: true },
  });
  scene.matrix.store.redact({ roomId: GROUP, eventId: reaction.event_id, sender: BOB });
  await scene.host.storedMessages(2);
  expect(scene.host.received[1]).toMatchObject({
    sender: { id: BOB },
    event: { type: "reaction", targetId: target, emoji: "👍", removed: true },
  });
});

test("a reaction that is taken back after a restart is known by what was kept with it", async () => {
  await using scene = await startScene();
  await scene.start();
  const receipt = await scene.send({ type: "text", text: "Tea?" }, { kind: "group", id: GROUP });
  const target = receipt.type === "accepted" ? receipt.messageIds[0] : undefined;
  const relation = { "m.relates_to": { rel_type: "m.annotation", event_id: target, key: "👍" } };
  const reaction = await scene.write(relation, { roomId: GROUP, sender: BOB, type: "m.reaction" });
  await scene.channel.stop(soon());
  scene.matrix.store.redact({ roomId: GROUP, eventId: reaction.event_id, sender: ALICE });
  await scene.another().start(soon());
  await scene.host.storedMessages(2);
  expect(scene.host.received[1]).toMatchObject({
    sender: { id: BOB },
    event: { type: "reaction", targetId: target, emoji: "👍", removed: true, isOnOwnMessage: true },
  });
  expect(scene.matrix.requests.filter(({ path }) => path.includes("/event/"))).toEqual([]);
});

test("of reactions the newest thousand are kept", async () => {
  await using scene = await startScene();
  await scene.start();
  const target = await scene.write({ msgtype: "m.text", body: "Tea?" }, { roomId: GROUP });
  const reactions: string[] = [];
  for (let index = 0; index < 1_001; index += 1) {
    const content = { "m.relates_to": { rel_type: "m.annotation", event_id: target.event_id, key: `${index}` } };
    reactions.push(scene.matrix.store.append({ roomId: GROUP, type: "m.reaction", sender: BOB, content }).event_id);
    if (index % 40 === 0) await scene.host.storedMessages(index + 2);
  }
  await scene.host.storedMessages(1_002);
  expect(await scene.host.state.list("reaction/")).toHaveLength(1_000);
  await scene.channel.stop(soon());
  for (const eventId of [reactions[0], reactions[1_000]]) scene.matrix.store.redact({ roomId: GROUP, eventId: eventId ?? "", sender: BOB });
  await scene.another().start(soon());
  await scene.host.storedMessages(1_003);
  expect(scene.host.received.at(-1)?.event).toMatchObject({ emoji: "1000", removed: true });
});

/** A host whose questions for single events wait until they are let through. */
class SlowEvents {
  readonly host: TestHost;
  asked = 0;
  most = 0;
  #open = 0;
  #gate = Promise.withResolvers<void>();

  constructor() {
    this.host = new TestHost({
      fetch: async (input, init) => {
        const url = input instanceof Request ? input.url : String(input);
        if (!url.includes("/event/")) return fetch(input, init);
        this.asked += 1;
        this.#open += 1;
        this.most = Math.max(this.most, this.#open);
        try {
          await raceAbort(this.#gate.promise, { signal: init?.signal ?? AbortSignal.timeout(60_000) });
          return await fetch(input, init);
        } finally {
          this.#open -= 1;
        }
      },
    });
  }

  let(): void {
    this.#gate.resolve();
  }
}

/** Messages from before the first start, of which the channel knows nothing. */
function oldMessages({ matrix }: MatrixScene, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const content = { msgtype: "m.text", body: `old ${index}` };
    return matrix.store.append({ roomId: GROUP, type: "m.room.message", sender: BOB, content }).event_id;
  });
}

test("what an unknown redaction removes is requested concurrently with messages, a few at once, and again after a restart", async () => {
  const slow = new SlowEvents();
  await using scene = await startScene(slow.host);
  const old = oldMessages(scene, 5);
  await scene.start();
  for (const eventId of old) scene.matrix.store.redact({ roomId: GROUP, eventId, sender: BOB });
  await scene.write({ msgtype: "m.text", body: "not behind them" }, { roomId: GROUP });
  expect(slow.host.stored.map(({ text }) => text)).toEqual(["not behind them"]);
  await expect.poll(() => slow.asked).toBe(3);
  await scene.channel.stop(soon());
  slow.let();
  await scene.another().start(soon());
  await slow.host.storedMessages(6);
  const removed = slow.host.stored.slice(1).map(({ event }) => (event.type === "delete" ? event.targetId : event.type));
  expect(removed.toSorted()).toEqual(old.toSorted());
  expect(slow.most).toBe(3);
  await expect.poll(() => slow.host.state.list("redaction/")).toEqual([]);
});

test("of unknown redactions a hundred wait at most, and the log says once that others are left out", async () => {
  const slow = new SlowEvents();
  await using scene = await startScene(slow.host);
  const old = oldMessages(scene, 103);
  await scene.start();
  for (const eventId of old) scene.matrix.store.redact({ roomId: GROUP, eventId, sender: BOB });
  await scene.write({ msgtype: "m.text", body: "behind them" }, { roomId: GROUP });
  expect(await slow.host.state.list("redaction/")).toHaveLength(100);
  expect(slow.host.logLines.filter((line) => line.includes("redactions left out"))).toHaveLength(1);
  slow.let();
  await slow.host.storedMessages(101);
});

test("an unknown redaction that cannot be read is tried again", async () => {
  const clock = new ManualClock();
  let asked = 0;
  const host = new TestHost({
    clock,
    fetch: async (input, init) => {
      if (!(input instanceof Request ? input.url : String(input)).includes("/event/")) return fetch(input, init);
      asked += 1;
      return asked === 1 ? new Response("broken", { status: 500 }) : fetch(input, init);
    },
  });
  await using scene = await startScene(host);
  const [old = ""] = oldMessages(scene, 1);
  await scene.start();
  scene.matrix.store.redact({ roomId: GROUP, eventId: old, sender: BOB });
  await expect.poll(() => asked, { timeout: 60_000 }).toBe(1);
  await expect.poll(() => clock.pending.length, { timeout: 60_000 }).toBeGreaterThan(0);
  clock.advance(60_000);
  await host.storedMessages(1);
  expect(host.stored[0]?.event).toMatchObject({ type: "delete", targetId: old });
});

test("an edit of a message of somebody else is ignored", async () => {
  await using scene = await startScene();
  await scene.start();
  const message = await scene.write({ msgtype: "m.text", body: "mine" }, { roomId: GROUP });
  const edit = {
    msgtype: "m.text",
    body: "* yours",
    "m.new_content": { msgtype: "m.text", body: "yours" },
    "m.relates_to": { rel_type: "m.replace", event_id: message.event_id },
  };
  expect(await receive(scene, edit, { roomId: GROUP, sender: BOB })).toBeUndefined();
  expect(await receive(scene, edit, { roomId: GROUP })).toMatchObject({
    text: "yours",
    event: { type: "edit", targetId: message.event_id },
  });
});

test("files, voice messages, stickers, captions, places and polls are read, and notices of bots are not", async () => {
  await using scene = await startScene();
  await scene.start();
  const url = scene.matrix.addFile({ name: "x", bytes: Buffer.from("x"), mimeType: "audio/ogg" });
  const voice = await receive(scene, {
    msgtype: "m.audio",
    body: "Voice message",
    url,
    info: { mimetype: "audio/ogg", size: 1 },
    "org.matrix.msc3245.voice": {},
  });
  expect(voice).toMatchObject({ text: "", attachments: [{ kind: "audio", voice: true, mimeType: "audio/ogg", sizeBytes: 1 }] });
  const captioned = await receive(scene, { msgtype: "m.image", body: "Look", filename: "a.png", url });
  expect(captioned).toMatchObject({ text: "Look", attachments: [{ kind: "image", fileName: "a.png" }] });
  expect(await receive(scene, { body: "a smile", url, info: {} }, { type: "m.sticker" })).toMatchObject({
    text: "a smile",
    attachments: [{ kind: "image" }],
  });
  expect(await receive(scene, { msgtype: "m.location", body: "Here", geo_uri: "geo:51.5,0" })).toMatchObject({ text: "Here\ngeo:51.5,0" });
  expect(await receive(scene, { msgtype: "m.emote", body: "waves" })).toMatchObject({ text: "*Alice waves*" });
  const poll = { question: { "org.matrix.msc1767.text": "Tea?" }, answers: [{ id: "1", "org.matrix.msc1767.text": "Green" }] };
  const type = "org.matrix.msc3381.poll.start";
  expect(await receive(scene, { [type]: poll }, { type })).toMatchObject({ text: "Poll: Tea?\n- Green" });
  expect(await receive(scene, { msgtype: "m.notice", body: "I am a bot" })).toBeUndefined();
  expect(await receive(scene, { msgtype: "m.file", body: "x", file: { url } })).toMatchObject({
    text: expect.stringContaining("encrypted file") as string,
    attachments: [],
  });
});

test("contents of any form are refused or ignored, and the next message arrives", async () => {
  await using scene = await startScene();
  await scene.start();
  const strange: Record<string, unknown>[] = [
    {},
    { msgtype: 4, body: {} },
    { msgtype: "m.text", body: "x", "m.relates_to": "y" },
    { msgtype: "m.text", body: "x", "m.relates_to": { rel_type: "m.replace", event_id: "$nobody" }, "m.new_content": [] },
    { msgtype: "m.image", body: "x", url: "mxc://../../etc/passwd" },
    { msgtype: "m.text", body: "x", "m.mentions": { user_ids: "all" }, format: "org.matrix.custom.html", formatted_body: ["<b>"] },
  ];
  for (const content of strange)
    for (const type of ["m.room.message", "m.reaction", "org.matrix.msc3381.poll.start"]) await scene.write(content, { type });
  expect(await receive(scene, { msgtype: "m.text", body: "fine" })).toMatchObject({ text: "fine" });
  expect(scene.channel.health().state).toBe("connected");
});

test("a room that replaces another one is followed only if it names it as its predecessor", async () => {
  await using scene = await startScene();
  const { store, app } = scene.matrix;
  await scene.start();
  const other = store.createRoom({ creator: BOB, invited: [app.bot.id] });
  store.append({ roomId: GROUP, type: "m.room.tombstone", sender: ALICE, content: { replacement_room: other.id }, stateKey: "" });
  const next = store.createRoom({ creator: ALICE, invited: [app.bot.id], predecessor: DIRECT });
  store.append({ roomId: DIRECT, type: "m.room.tombstone", sender: ALICE, content: { replacement_room: next.id }, stateKey: "" });
  await scene.write({ msgtype: "m.text", body: "later" });
  const moves = scene.host.received.filter(({ event }) => event.type === "moved");
  expect(moves).toMatchObject([{ origin: { conversation: { id: DIRECT } }, event: { to: { id: next.id } } }]);
});

test("messages that arrived are marked as read, each in its thread", async () => {
  await using scene = await startScene();
  await scene.start();
  const root = await scene.write({ msgtype: "m.text", body: "one" }, { roomId: GROUP });
  const relation = { rel_type: "m.thread", event_id: root.event_id };
  await scene.write({ msgtype: "m.text", body: "two", "m.relates_to": relation }, { roomId: GROUP });
  await scene.matrix.request(
    ({ path, body }) => path.includes("/receipt/") && (body as { thread_id?: string }).thread_id === root.event_id,
  );
  expect(scene.matrix.receipts[0]).toMatchObject({ eventId: root.event_id, threadId: "main" });
});
