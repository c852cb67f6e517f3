import { messageId } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FORUM, GROUP, startScene } from "../../test/scene.ts";
import type { TelegramScene } from "../../test/scene.ts";

let scene: TelegramScene;
beforeEach(async () => {
  scene = await startScene();
});
afterEach(async () => scene[Symbol.asyncDispose]());

const shown = () => scene.telegram.sent.map(({ text }) => text);

test("a text whose styles are refused is shown without them, once", async () => {
  scene.telegram.failNext({ type: "refuse", code: 400, description: "Bad Request: can't parse entities: Can't find end tag" });
  expect(await scene.send({ type: "text", text: "**a** < b & `c`" })).toMatchObject({ type: "accepted" });
  expect(scene.telegram.sent.map(({ text, entities }) => [text, entities])).toEqual([["a < b & c", []]]);
});

test("what rendering makes longer is several messages, and all are in the receipt", async () => {
  const row = `| ${"wide ".repeat(9)} | b |\n`;
  const text = `| a | b |\n|---|---|\n${row}${"| x | y |\n".repeat(300)}`;
  const receipt = await scene.send({ type: "text", text });
  expect(receipt).toMatchObject({ type: "accepted", messageIds: scene.telegram.sent.map(({ id }) => String(id)) });
  expect(scene.telegram.sent.length).toBeGreaterThan(1);
  const [first] = scene.telegram.sent;
  expect(await scene.send({ type: "edit", targetId: messageId(String(first?.id)), text })).toMatchObject({ type: "accepted" });
  expect(first?.text).toContain("|---|---|");
});

test("a text of which only the beginning was shown is ambiguous, and not refused", async () => {
  const text = `| a | b |\n|---|---|\n| ${"wide ".repeat(9)} | b |\n${"| x | y |\n".repeat(300)}`;
  scene.telegram.failNext({ type: "refuse", code: 400, description: "Bad Request: can't parse entities" });
  const count = (): number => scene.telegram.requests.filter(({ isChange }) => isChange).length;
  scene.telegram.watch(() => {
    if (count() === 2) scene.telegram.failNext({ type: "refuse", code: 403, description: "Forbidden: bot was blocked by the user" });
  });
  expect(await scene.send({ type: "text", text })).toMatchObject({ type: "ambiguous" });
  expect(scene.telegram.sent).toHaveLength(1);
});

test("a group that became a supergroup gets the message there", async () => {
  const group = scene.telegram.app.chats.get(GROUP);
  if (group !== undefined) group.migratedTo = FORUM;
  expect(await scene.send({ type: "text", text: "moved" }, { kind: "group", id: String(GROUP) })).toMatchObject({ type: "accepted" });
  expect(scene.telegram.sent.map(({ chatId }) => chatId)).toEqual([FORUM]);
});

test("people are notified where the gateway names them, and only there", async () => {
  await scene.send({ type: "text", text: "ask @Bob & `@Bob`", mentions: [{ id: "1002", name: "Bob" }] });
  expect(scene.telegram.sent[0]).toMatchObject({
    text: "ask @Bob & @Bob",
    entities: [{ type: "text_link", offset: 4, length: 4, url: "tg://user?id=1002" }, { type: "code" }],
  });
});

test("an edit that changes nothing is accepted, and the text of a file is edited below it", async () => {
  await scene.send({ type: "text", text: "same" });
  const bytes = Buffer.from("a file");
  await scene.send({ type: "media", media: { kind: "file", mimeType: "text/plain", fileName: "a.txt", bytes }, caption: "before" });
  const [text, file] = scene.telegram.sent;
  expect(await scene.send({ type: "edit", targetId: messageId(String(text?.id)), text: "same" })).toMatchObject({ type: "accepted" });
  expect(await scene.send({ type: "edit", targetId: messageId(String(file?.id)), text: "after" })).toMatchObject({ type: "accepted" });
  expect(shown()).toEqual(["same", "after"]);
});

test("a text that does not fit below its file follows it", async () => {
  const caption = `${"word ".repeat(300)}end`;
  const receipt = await scene.send({ type: "media", media: { kind: "file", mimeType: "text/plain", bytes: Buffer.from("x") }, caption });
  expect(receipt).toMatchObject({ type: "accepted", messageIds: [expect.any(String), expect.any(String)] });
  expect(shown()).toEqual(["", caption]);
});

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const OGG = Buffer.concat([Buffer.from("OggS\0\x02"), Buffer.alloc(22), Buffer.from("OpusHead"), Buffer.alloc(40)]);

test.each([
  ["an image", { kind: "image", mimeType: "image/png", bytes: PNG }, "photo"],
  ["an image that is sent as a file", { kind: "file", mimeType: "image/png", bytes: PNG }, "document"],
  ["what is no image", { kind: "image", mimeType: "image/png", bytes: Buffer.from("text") }, "document"],
  ["a voice message", { kind: "audio", mimeType: "audio/ogg", bytes: OGG, voice: true }, "voice"],
] as const)("%s is shown as it can be", async (_, media, kind) => {
  expect(await scene.send({ type: "media", media })).toMatchObject({ type: "accepted" });
  expect(scene.telegram.sent.map((message) => message.kind)).toEqual([kind]);
});

test("an image that cannot be processed is sent as a plain file, and so is an album of them", async () => {
  const refused = { type: "refuse", code: 400, description: "Bad Request: PHOTO_INVALID_DIMENSIONS" } as const;
  scene.telegram.failNext(refused);
  await scene.send({ type: "media", media: { kind: "image", mimeType: "image/png", bytes: PNG } });
  scene.telegram.failNext(refused);
  const media = [PNG, PNG].map((bytes) => ({ kind: "image", mimeType: "image/png", bytes }) as const);
  expect(await scene.send({ type: "album", media, caption: "both" })).toMatchObject({ type: "accepted", messageIds: { length: 2 } });
  expect(scene.telegram.sent.map(({ kind, text }) => [kind, text])).toEqual([
    ["document", ""],
    ["document", ""],
    ["document", "both"],
  ]);
});

test("taking back a reaction that another one has replaced changes nothing", async () => {
  await scene.send({ type: "text", text: "nice" });
  const targetId = messageId(String(scene.telegram.sent[0]?.id));
  await scene.send({ type: "reaction", targetId, emoji: "👍", removed: false });
  await scene.send({ type: "reaction", targetId, emoji: "❤️", removed: false });
  await scene.send({ type: "reaction", targetId, emoji: "👍", removed: true });
  expect(scene.telegram.sent[0]?.reactions).toEqual(["❤"]);
  expect(await scene.send({ type: "reaction", targetId, emoji: "🦖", removed: false })).toMatchObject({
    type: "rejected",
    code: "rejected",
  });
});

test("a card whose buttons could not be kept is not shown", async () => {
  scene.host.state.set = () => Promise.reject(new Error("the disk is full"));
  const button = { actionId: "a", label: "Yes", value: "x".repeat(500), style: "primary" } as const;
  expect(await scene.send({ type: "card", card: { body: "Shall I?", buttons: [button] } })).toMatchObject({ type: "rejected" });
  expect(scene.telegram.sent).toEqual([]);
});

test("buttons stand in rows that fit, with their styles", async () => {
  const buttons = ["Yes", "No", "A long label that takes a row of its own", "Later"].map(
    (label) => ({ actionId: label, label, style: "default" }) as const,
  );
  await scene.send({ type: "card", card: { title: "1 < 2", body: "**b**", fields: [{ label: "*l*", value: "_v_" }], buttons } });
  expect(scene.telegram.sent[0]?.text).toBe("1 < 2\n\nb\n\n*l*: _v_");
  expect(scene.telegram.sent[0]?.buttons.map((row) => row.map(({ text }) => text))).toEqual([
    ["Yes", "No"],
    ["A long label that takes a row of its own"],
    ["Later"],
  ]);
});

test("no message is sent to the general topic by its number", async () => {
  expect(await scene.send({ type: "text", text: "x" }, { kind: "group", id: String(FORUM), threadId: "1" })).toMatchObject({
    type: "accepted",
  });
  expect(await scene.send({ type: "text", text: "x" }, { kind: "group", id: String(FORUM), threadId: "5" })).toMatchObject({
    type: "rejected",
    code: "not-found",
  });
});

test.each([
  ["thumbsup", "👍"],
  [":+1:", "👍"],
  ["👍🏽", "👍"],
  ["❤️", "❤"],
])("reacts to %s with %s, the platform's writing", async (emoji, reaction) => {
  const { id } = scene.telegram.addMessage({ chatId: FORUM, fromId: 1001, text: "a message" });
  const group = { kind: "group", id: String(FORUM) } as const;
  const targetId = messageId(String(id));
  expect(await scene.send({ type: "reaction", targetId, emoji, removed: false }, group)).toMatchObject({ type: "accepted" });
  expect(scene.telegram.store.messages.find((message) => message.id === id)?.reactions).toEqual([reaction]);
  expect(await scene.send({ type: "reaction", targetId, emoji, removed: true }, group)).toMatchObject({ type: "accepted" });
  expect(scene.telegram.store.messages.find((message) => message.id === id)?.reactions).toEqual([]);
});
