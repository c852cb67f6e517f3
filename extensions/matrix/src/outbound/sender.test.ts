import { messageId } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { BOB, DIRECT, GROUP, startScene } from "../../test/scene.ts";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

test("a text names people by intention only, and never the room", async () => {
  await using scene = await startScene();
  await scene.send({ type: "text", text: "@Bob and @room", mentions: [{ id: BOB, name: "Bob" }] }, { kind: "group", id: GROUP });
  await scene.send({ type: "text", text: "@Bob and @room" }, { kind: "group", id: GROUP });
  expect(scene.matrix.sent.map(({ content }) => content["m.mentions"])).toEqual([{ user_ids: [BOB] }, {}]);
});

test("an answer in a thread stands in it, and an edit of it keeps its place", async () => {
  await using scene = await startScene();
  const root = scene.matrix.store.append({
    roomId: GROUP,
    type: "m.room.message",
    sender: BOB,
    content: { msgtype: "m.text", body: "root" },
  });
  const receipt = await scene.send({ type: "text", text: "one" }, { kind: "group", id: GROUP, threadId: root.event_id });
  const [sent] = scene.matrix.sent;
  expect(sent?.content["m.relates_to"]).toEqual({
    rel_type: "m.thread",
    event_id: root.event_id,
    is_falling_back: true,
    "m.in_reply_to": { event_id: root.event_id },
  });
  const targetId = receipt.type === "accepted" ? (receipt.messageIds[0] ?? messageId("")) : messageId("");
  await scene.send({ type: "edit", targetId, text: "**two**" }, { kind: "group", id: GROUP, threadId: root.event_id });
  if (sent !== undefined) expect(scene.matrix.contentOf(sent)).toMatchObject({ body: "**two**", formatted_body: "<strong>two</strong>" });
});

test("a message of somebody else cannot be edited, also after a restart", async () => {
  await using scene = await startScene();
  const theirs = scene.matrix.store.append({
    roomId: GROUP,
    type: "m.room.message",
    sender: BOB,
    content: { msgtype: "m.text", body: "mine" },
  });
  const receipt = await scene.send({ type: "edit", targetId: messageId(theirs.event_id), text: "yours" }, { kind: "group", id: GROUP });
  expect(receipt).toMatchObject({ type: "rejected", code: "forbidden" });
});

test("a reaction from before a restart is found and taken back", async () => {
  await using scene = await startScene();
  const target = scene.matrix.store.append({
    roomId: GROUP,
    type: "m.room.message",
    sender: BOB,
    content: { msgtype: "m.text", body: "mine" },
  });
  const reaction = { type: "reaction", targetId: messageId(target.event_id), emoji: "👍" } as const;
  const place = { kind: "group", id: GROUP } as const;
  expect((await scene.send({ ...reaction, removed: false }, place)).type).toBe("accepted");
  // The homeserver refuses the same reaction again, which is as it should be.
  expect((await scene.send({ ...reaction, removed: false }, place)).type).toBe("accepted");
  const origin = { channel: "matrix", accountId: "second", conversation: place };
  const options = { signal: AbortSignal.timeout(60_000), idempotencyKey: "later" };
  expect((await scene.another().send(origin, { ...reaction, removed: true }, options)).type).toBe("accepted");
  expect(scene.matrix.store.room(GROUP).relatedTo(target.event_id, "m.annotation")).toEqual([]);
});

test("an image and a voice message are shown as such, and what only claims to be an image is a file", async () => {
  await using scene = await startScene();
  const mp3 = Buffer.concat([
    Buffer.from("ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0000"),
    Buffer.from([0xff, 0xfb, 0x90, 0x64]),
    Buffer.alloc(500),
  ]);
  await scene.send({ type: "media", media: { kind: "image", mimeType: "image/png", fileName: "a.png", bytes: PNG }, caption: "**Look**" });
  await scene.send({ type: "media", media: { kind: "audio", mimeType: "audio/mpeg", bytes: mp3, voice: true } });
  await scene.send({ type: "media", media: { kind: "image", mimeType: "image/png", fileName: "b.png", bytes: Buffer.from("no image") } });
  expect(scene.matrix.sent.map(({ content }) => content)).toMatchObject([
    {
      msgtype: "m.image",
      filename: "a.png",
      body: "**Look**",
      formatted_body: "<strong>Look</strong>",
      info: { mimetype: "image/png", size: PNG.length },
    },
    { msgtype: "m.audio", "org.matrix.msc3245.voice": {} },
    { msgtype: "m.file", filename: "b.png", body: "b.png" },
  ]);
});

test("what fails before a message is sent has shown nothing: it is tried again", async () => {
  await using scene = await startScene();
  scene.matrix.app.brokenRooms.add(DIRECT);
  expect(await scene.send({ type: "text", text: "hello" })).toMatchObject({
    type: "rejected",
    code: "unreachable",
    retry: { type: "backoff" },
  });
  scene.matrix.app.brokenRooms.clear();
  expect((await scene.send({ type: "text", text: "hello" })).type).toBe("accepted");
  scene.matrix.failNextRead({ type: "http", status: 502 });
  const media = { kind: "file", mimeType: "text/plain", bytes: Buffer.from("four") } as const;
  expect(await scene.send({ type: "media", media })).toMatchObject({ type: "rejected", code: "unreachable" });
  expect(scene.matrix.sent).toHaveLength(1);
});

test("a file over the homeserver's limit is too long for good", async () => {
  await using scene = await startScene();
  scene.matrix.app.maxUploadBytes = 3;
  const media = { kind: "file", mimeType: "text/plain", bytes: Buffer.from("four") } as const;
  expect(await scene.send({ type: "media", media })).toMatchObject({ type: "rejected", code: "too-long", retry: { type: "never" } });
});

test("the longest text fits into an event, whatever it is made of, also as an edit", async () => {
  await using scene = await startScene();
  for (const part of ["好", "**字** ", "&", '"', "\\", "> ", "| a | b |\n"]) {
    const text = part.repeat(Math.floor(8_000 / part.length));
    const receipt = await scene.send({ type: "text", text: `x${text.slice(1)}` });
    expect([part, receipt.type]).toEqual([part, "accepted"]);
    const targetId = receipt.type === "accepted" ? (receipt.messageIds[0] ?? messageId("")) : messageId("");
    expect([part, (await scene.send({ type: "edit", targetId, text: `y${text.slice(1)}` })).type]).toEqual([part, "accepted"]);
  }
});
