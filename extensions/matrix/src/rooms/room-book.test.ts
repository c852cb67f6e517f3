import { TestHost } from "@factotum/channel-conformance";
import { expect, test } from "vitest";
import { ALICE, BOB, DIRECT, startScene } from "../../test/scene.ts";

const text = { msgtype: "m.text", body: "hello" };

test("a room that is marked as direct is a group once a third person has joined", async () => {
  await using scene = await startScene();
  const { store } = scene.matrix;
  await scene.start();
  await scene.write(text);
  store.append({ roomId: DIRECT, type: "m.room.member", sender: ALICE, content: store.memberContent(BOB, "invite"), stateKey: BOB });
  store.append({ roomId: DIRECT, type: "m.room.member", sender: BOB, content: store.memberContent(BOB, "join"), stateKey: BOB });
  await scene.write(text);
  const kinds = scene.host.received.filter(({ event }) => event.type === "message").map(({ origin }) => origin.conversation.kind);
  expect(kinds).toEqual(["direct", "group"]);
});

test("a room with one other person is a group unless it is marked as direct", async () => {
  await using scene = await startScene();
  const { store, app } = scene.matrix;
  await scene.start();
  const room = store.createRoom({ creator: ALICE, members: [app.bot.id] });
  await scene.write(text, { roomId: room.id });
  scene.matrix.setDirect(app.bot.id, { [ALICE]: [room.id] });
  await scene.write(text, { roomId: room.id });
  const kinds = scene.host.received.filter(({ event }) => event.type === "message").map(({ origin }) => origin.conversation.kind);
  expect(kinds).toEqual(["group", "direct"]);
});

test("a room whose state fails again and again counts as a group, so that it does not hold up others", async () => {
  // Without delays between the attempts.
  const { random } = new TestHost();
  const host = new TestHost({ random: { bytes: (count) => random.bytes(count), uuid: () => random.uuid(), float: () => 0 } });
  await using scene = await startScene(host);
  await scene.start();
  scene.matrix.app.brokenRooms.add(DIRECT);
  scene.matrix.store.append({ roomId: DIRECT, type: "m.room.message", sender: ALICE, content: text });
  await scene.host.storedMessages(1);
  expect(scene.host.received[0]?.origin.conversation).toEqual({ kind: "group", id: DIRECT });
  scene.matrix.app.brokenRooms.delete(DIRECT);
  await scene.write(text);
  expect(scene.host.received[1]?.origin.conversation).toEqual({ kind: "direct", id: DIRECT });
});
