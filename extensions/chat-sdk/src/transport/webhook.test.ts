import { TestHost } from "@factotum/channel-conformance";
import { telegramMessageUpdate } from "@factotum/testing-channels";
import type { TelegramUpdate } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { ALICE, startScene } from "../../test/scene.ts";
import type { TelegramScene } from "../../test/scene.ts";

function part({ telegram }: TelegramScene, text = ""): TelegramUpdate {
  const file = telegram.addFile({ name: "a.jpg", bytes: Buffer.from("x"), mimeType: "image/jpeg" });
  return telegramMessageUpdate(telegram, telegram.addMessage({ chatId: ALICE, fromId: ALICE, text, file, kind: "photo", albumId: "12" }));
}

function message({ telegram }: TelegramScene, text: string): TelegramUpdate {
  return telegramMessageUpdate(telegram, telegram.addMessage({ chatId: ALICE, fromId: ALICE, text }));
}

test("parts of an album are one message, and acknowledged once it is stored", async () => {
  await using scene = await startScene();
  const answers = await Promise.all([part(scene, "Our holiday"), part(scene), part(scene)].map((update) => scene.post(update)));
  expect(answers).toEqual([200, 200, 200]);
  expect(scene.host.stored).toHaveLength(1);
  expect(scene.host.stored[0]).toMatchObject({ text: "Our holiday", attachments: { length: 3 } });
});

test("no part of an album that was not stored is acknowledged, and the repetition is whole", async () => {
  await using scene = await startScene();
  const parts = [part(scene, "Our holiday"), part(scene)];
  scene.host.failNext();
  expect(await Promise.all(parts.map((update) => scene.post(update)))).toEqual([503, 503]);
  expect(await Promise.all(parts.map((update) => scene.post(update)))).toEqual([200, 200]);
  expect(scene.host.stored.map(({ attachments }) => attachments.length)).toEqual([2]);
});

test("an update that is delivered again while it is being stored is acknowledged with the first, not before", async () => {
  await using scene = await startScene();
  const update = message(scene, "Hello");
  const release = scene.host.hold();
  const answers: number[] = [];
  const posts = [scene.post(update), scene.post(update)].map(async (post) => answers.push(await post));
  await scene.host.handedOver(1);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(answers).toEqual([]);
  release();
  await Promise.all(posts);
  expect(answers).toEqual([200, 200]);
  expect(scene.host.stored).toHaveLength(1);
});

test("what the adapter remembers of an update is on disk with its message, and never without it", async () => {
  await using scene = await startScene();
  const update = message(scene, "Hello");
  scene.host.failNext();
  expect(await scene.post(update)).toBe(503);
  expect(await scene.host.state.list("")).toEqual([]);
  // A process that was killed before the answer: its successor gets the update again.
  const successor = scene.another();
  await successor.start({ signal: AbortSignal.timeout(60_000) });
  expect(await scene.post(update, successor)).toBe(200);
  expect((await scene.host.state.list("sdk/")).map(({ key }) => key)).toEqual([expect.stringContaining("webhook-update")]);
  expect(await scene.post(update, scene.another())).toBe(200);
  expect(scene.host.received.map(({ text }) => text)).toEqual(["Hello", "Hello"]);
});

test("a sign of typing that the platform does not answer holds no event back", async () => {
  await using scene = await startScene(new TestHost());
  scene.telegram.failNextRead({ type: "drop" });
  expect(await scene.post(message(scene, "Hello"))).toBe(200);
  expect(scene.host.stored).toHaveLength(1);
});
