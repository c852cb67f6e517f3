import type { TestHost } from "@factotum/channel-conformance";
import { telegramMessageUpdate, telegramPressUpdate } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { ALICE, FORUM, startScene } from "../../test/scene.ts";
import type { TelegramScene } from "../../test/scene.ts";

const soon = () => ({ signal: AbortSignal.timeout(60_000) });
const receivedTexts = ({ received }: TestHost) => received.map(({ text }) => text);

async function untilDetail(scene: TelegramScene, text: string): Promise<void> {
  await expect.poll(() => scene.channel.health().detail ?? "", { interval: 5 }).toContain(text);
}

test("updates are requested from the last stored one on, also after a restart", async () => {
  await using scene = await startScene();
  const { telegram, channel, host } = scene;
  const update = (text: string) => telegramMessageUpdate(telegram, telegram.addMessage({ chatId: ALICE, fromId: ALICE, text }));
  await channel.start(soon());
  const first = update("one");
  expect(await telegram.updates.deliver(first)).toBe("acknowledged");
  await channel.stop(soon());
  await expect.poll(() => telegram.updates.open, { interval: 5 }).toBe(0);
  const meanwhile = telegram.updates.deliver(update("two"));
  await scene.another().start(soon());
  expect(await meanwhile).toBe("acknowledged");
  expect(receivedTexts(host)).toEqual(["one", "two"]);
  const offsets = telegram.requests.flatMap(({ method, values }) => (method === "getUpdates" ? [values["offset"]] : []));
  expect(offsets.slice(0, 3)).toEqual([undefined, first.update_id + 1, first.update_id + 1]);
});

test("a webhook of an earlier setting is removed, and its updates are kept", async () => {
  await using scene = await startScene();
  scene.telegram.app.webhook = { url: "https://assistant.example.com/x", secretToken: "", allowedUpdates: undefined };
  await scene.channel.start(soon());
  await scene.telegram.updates.connected(1);
  expect(scene.telegram.app.webhook).toBeUndefined();
  expect(scene.telegram.requests.find(({ method }) => method === "deleteWebhook")?.values).toEqual({ drop_pending_updates: false });
});

test("another program that polls is named in the health, and so is a webhook that is registered again, which is left alone", async () => {
  await using scene = await startScene();
  const { telegram } = scene;
  await scene.channel.start(soon());
  await telegram.updates.connected(1);
  const response = fetch(`${telegram.baseUrl}/bot${telegram.app.token}/getUpdates?timeout=0`);
  await untilDetail(scene, "another program polls with this token");
  await (await response).text();
  expect(scene.channel.health().state).toBe("disconnected");
  telegram.app.webhook = { url: "https://other.example.com/x", secretToken: "", allowedUpdates: undefined };
  await untilDetail(scene, "another program has registered a webhook");
  expect(telegram.app.webhook).toBeDefined();
});

test("a token that is revoked while the assistant runs is named in the health", async () => {
  await using scene = await startScene();
  const { telegram } = scene;
  await scene.channel.start(soon());
  await telegram.updates.connected(1);
  telegram.failNextRead({ type: "refuse", code: 401, description: "Unauthorized" });
  telegram.updates.drop();
  await untilDetail(scene, "the token is wrong or was revoked");
});

test("an album is one message with all files, however its parts arrive", async () => {
  await using scene = await startScene();
  const { telegram, host } = scene;
  await scene.channel.start(soon());
  const part = (text: string) => {
    const file = telegram.addFile({ name: "a.jpg", bytes: Buffer.from("x"), mimeType: "image/jpeg" });
    return telegramMessageUpdate(telegram, telegram.addMessage({ chatId: ALICE, fromId: ALICE, text, file, kind: "photo", albumId: "12" }));
  };
  const parts = [telegram.updates.deliver(part("")), telegram.updates.deliver(part("Our holiday"))];
  const next = telegram.updates.deliver(
    telegramMessageUpdate(telegram, telegram.addMessage({ chatId: ALICE, fromId: ALICE, text: "next" })),
  );
  expect(await Promise.all([...parts, next])).toEqual(["acknowledged", "acknowledged", "acknowledged"]);
  expect(host.received.map(({ text, attachments }) => [text, attachments.length])).toEqual([
    ["Our holiday", 2],
    ["next", 0],
  ]);
});

test("a press is answered after it was stored, and one of a forgotten button says so", async () => {
  await using scene = await startScene();
  const { telegram, host } = scene;
  await scene.channel.start(soon());
  await scene.send({ type: "card", card: { body: "?", buttons: [{ actionId: "a", label: "Yes", style: "default" }] } });
  const [card] = telegram.sent;
  if (card === undefined) throw new Error("there is no card");
  const data = card.buttons[0]?.[0]?.callback_data ?? "";
  const release = host.hold();
  const delivery = telegram.updates.deliver(telegramPressUpdate(telegram, card, { fromId: ALICE, data }));
  await host.handedOver(1);
  expect(telegram.pressAnswers.size).toBe(0);
  release();
  expect(await delivery).toBe("acknowledged");
  expect([...telegram.pressAnswers.values()]).toEqual([""]);
  expect(host.received[0]).toMatchObject({ text: "Yes", event: { type: "action", actionId: "a" } });
  await telegram.updates.deliver(telegramPressUpdate(telegram, card, { fromId: ALICE, data: "of another program" }));
  expect([...telegram.pressAnswers.values()]).toEqual(["", "This button does not work any more."]);
  expect(host.received).toHaveLength(1);
});

test("a reaction in a topic is in that topic, and a changed one is taken back and put on", async () => {
  await using scene = await startScene();
  const { telegram, host } = scene;
  const message = telegram.addMessage({ chatId: FORUM, fromId: ALICE, threadId: 77, text: "x" });
  await scene.channel.start(soon());
  await telegram.updates.deliver(telegramMessageUpdate(telegram, message));
  const reaction = {
    chat: { id: FORUM, type: "supergroup" },
    message_id: message.id,
    user: { id: ALICE, first_name: "Alice" },
    date: 1_700_000_000,
    old_reaction: [{ type: "emoji", emoji: "👍" }],
    new_reaction: [{ type: "custom_emoji", custom_emoji_id: "5" }],
  };
  const update_id = telegram.nextUpdateId();
  await telegram.updates.deliver({ update_id, message_reaction: reaction });
  expect(
    host.received
      .slice(1)
      .map(({ event, eventId, origin }) => [event.type === "reaction" && event.emoji, eventId, origin.conversation.threadId]),
  ).toEqual([
    ["👍", String(update_id), "77"],
    ["custom:5", `${update_id}/1`, "77"],
  ]);
});

test("group privacy is noticed by a probe", async () => {
  await using scene = await startScene();
  scene.telegram.app.canReadAllGroupMessages = false;
  expect(await scene.channel.probe?.(soon())).toMatchObject({
    missingPermissions: [],
    notes: [expect.stringContaining("Group privacy is on") as string],
  });
});

test("an answer that is not the platform's ends the connection, and the next poll begins again", async () => {
  await using scene = await startScene();
  const { telegram } = scene;
  await scene.channel.start(soon());
  await telegram.updates.connected(1);
  telegram.failNextRead({ type: "garbage" });
  telegram.updates.drop();
  await untilDetail(scene, "not the platform's JSON");
  await telegram.updates.connected(2);
});

test("an update of several events is asked for again if the last of them was not stored", async () => {
  await using scene = await startScene();
  const { telegram, host } = scene;
  const message = telegram.addMessage({ chatId: ALICE, fromId: ALICE, text: "x" });
  await scene.channel.start(soon());
  await telegram.updates.connected(1);
  const receive = host.receive.bind(host);
  let calls = 0;
  host.receive = async (...given) => {
    calls += 1;
    if (calls === 2) throw new Error("the disk is full");
    return receive(...given);
  };
  const emoji = (name: string) => ({ type: "emoji", emoji: name });
  const changed = { chat: { id: ALICE, type: "private" }, message_id: message.id, user: { id: ALICE, first_name: "Alice" }, date: 1 };
  const update = {
    update_id: telegram.nextUpdateId(),
    message_reaction: { ...changed, old_reaction: [emoji("👍")], new_reaction: [emoji("❤")] },
  };
  void telegram.updates.deliver(update);
  await expect.poll(() => calls).toBe(4);
  const id = String(update.update_id);
  // The first event is a duplicate the second time.
  expect(host.received.map(({ eventId }) => eventId)).toEqual([id, id, `${id}/1`]);
});
