import { expect, test } from "vitest";
import { ALICE, DIRECT, startScene } from "../../test/scene.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });
const SECRET = { algorithm: "m.megolm.v1.aes-sha2", ciphertext: "AwgA" };

test("an encrypted room gets one line, also after a restart, and nothing of it is passed on", async () => {
  await using scene = await startScene();
  const { store } = scene.matrix;
  await scene.start();
  store.append({ roomId: DIRECT, type: "m.room.encryption", sender: ALICE, content: { algorithm: SECRET.algorithm }, stateKey: "" });
  await scene.write(SECRET, { type: "m.room.encrypted" });
  await scene.write({ msgtype: "m.text", body: "without encryption" });
  await scene.channel.stop(soon());
  await scene.another().start(soon());
  await scene.write(SECRET, { type: "m.room.encrypted" });
  expect(scene.matrix.sent.map(({ content }) => content["body"])).toEqual([expect.stringContaining("encryption is not supported")]);
  expect(scene.host.received).toEqual([]);
});

test("a line that was sent and not remembered is not sent twice", async () => {
  await using scene = await startScene();
  const { store } = scene.matrix;
  await scene.start();
  scene.matrix.failNext({ type: "accept-then-drop" });
  store.append({ roomId: DIRECT, type: "m.room.encryption", sender: ALICE, content: { algorithm: SECRET.algorithm }, stateKey: "" });
  await scene.matrix.request(({ path }) => path.includes("factotum-encrypted"));
  await scene.write(SECRET, { type: "m.room.encrypted" });
  expect(scene.matrix.sent).toHaveLength(1);
});

test("nothing is sent into an encrypted room", async () => {
  await using scene = await startScene();
  const room = scene.matrix.store.createRoom({ creator: ALICE, members: [scene.matrix.app.bot.id], isEncrypted: true });
  const receipt = await scene.send({ type: "text", text: "a secret" }, { kind: "group", id: room.id });
  expect(receipt).toMatchObject({ type: "rejected", code: "forbidden", retry: { type: "never" } });
  expect(scene.matrix.sent).toEqual([]);
});

test("a line that cannot be sent holds up no other room, and is sent at the next event", async () => {
  await using scene = await startScene();
  const room = scene.matrix.store.createRoom({ creator: ALICE, members: [scene.matrix.app.bot.id], isEncrypted: true });
  await scene.start();
  scene.matrix.failNext({ type: "http", status: 500 });
  scene.matrix.store.append({ roomId: room.id, type: "m.room.encrypted", sender: ALICE, content: SECRET });
  await scene.matrix.request(({ path }) => path.includes("factotum-encrypted"));
  await scene.write({ msgtype: "m.text", body: "are you there?" });
  await scene.host.storedMessages(1);
  scene.matrix.store.append({ roomId: room.id, type: "m.room.encrypted", sender: ALICE, content: SECRET });
  await scene.write({ msgtype: "m.text", body: "and now?" });
  await scene.host.storedMessages(2);
  expect(scene.matrix.sent).toHaveLength(1);
});
