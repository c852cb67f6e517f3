import { TestHost } from "@factotum/channel-conformance";
import { ManualClock, telegramMessageUpdate, telegramWebhookRequest } from "@factotum/testing-channels";
import type { TelegramUpdate } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { ALICE, startScene } from "../../test/scene.ts";
import type { TelegramScene } from "../../test/scene.ts";

const SECRET = "a_secret-of-the-webhook";
const WEBHOOK = { type: "webhook", secretToken: SECRET } as const;
const URL = "https://assistant.example.com/channels/telegram/second";
const soon = () => ({ signal: AbortSignal.timeout(60_000) });

function hostAt(webhookUrl: string | undefined, clock?: ManualClock): TestHost {
  return Object.assign(new TestHost(clock === undefined ? {} : { clock }), { webhookUrl });
}

function part({ telegram }: TelegramScene, text = ""): TelegramUpdate {
  const file = telegram.addFile({ name: "a.jpg", bytes: Buffer.from("x"), mimeType: "image/jpeg" });
  return telegramMessageUpdate(telegram, telegram.addMessage({ chatId: ALICE, fromId: ALICE, text, file, kind: "photo", albumId: "12" }));
}

test("the webhook registers itself with its secret, and polling removes it", async () => {
  await using scene = await startScene(WEBHOOK, hostAt(URL));
  await scene.channel.start(soon());
  expect(scene.telegram.app.webhook).toMatchObject({ url: URL, secretToken: SECRET });
  expect(scene.telegram.app.webhook?.allowedUpdates).toContain("message_reaction");
  // What people wrote before the registration is delivered.
  const registrations = scene.telegram.requests.filter(({ method }) => method === "setWebhook");
  expect(registrations.map(({ values }) => values["drop_pending_updates"])).toEqual([false]);
  await scene.channel.stop(soon());
  expect(scene.telegram.app.webhook).toBeDefined();
  await scene.another({ type: "polling" }).start(soon());
  expect(scene.telegram.app.webhook).toBeUndefined();
});

test("without a public address health and probe say what is missing", async () => {
  await using scene = await startScene(WEBHOOK);
  await scene.channel.start(soon());
  expect(scene.channel.health()).toMatchObject({ state: "degraded", detail: expect.stringContaining("set gateway.publicUrl") as string });
  expect(await scene.channel.probe?.(soon())).toMatchObject({ problems: [expect.stringContaining("set gateway.publicUrl")] });
  await using reached = await startScene(WEBHOOK, hostAt(URL));
  await reached.channel.start(soon());
  expect(reached.channel.health().state).toBe("starting");
  expect(await reached.channel.probe?.(soon())).not.toHaveProperty("problems");
});

test("a platform that cannot be reached does not hide that the public address is missing", async () => {
  await using scene = await startScene(WEBHOOK);
  await scene.telegram[Symbol.asyncDispose]();
  await expect(scene.channel.probe?.(soon())).rejects.toMatchObject({
    message: expect.stringContaining("set gateway.publicUrl") as string,
  });
});

test("parts of an album are acknowledged one by one, and passed on as one message", async () => {
  const clock = new ManualClock();
  await using scene = await startScene(WEBHOOK, hostAt(URL, clock));
  const { channel, host } = scene;
  await channel.start(soon());
  const parts = [part(scene), part(scene, "Our holiday")];
  for (const update of [...parts, ...parts]) {
    const { status } = await channel.handleWebhook(telegramWebhookRequest(URL, update, { secretToken: SECRET }), soon());
    expect(status).toBe(200);
  }
  expect(host.received).toEqual([]);
  clock.advance(1_000);
  await host.storedMessages(1);
  expect(host.stored[0]).toMatchObject({ text: "Our holiday", attachments: { length: 2 } });
  // The platform has not seen the acknowledgement of a part, and posts it again.
  await expect.poll(async () => host.state.list("album/")).toEqual([]);
  await channel.handleWebhook(telegramWebhookRequest(URL, parts[1], { secretToken: SECRET }), soon());
  clock.advance(10_000);
  expect(host.received).toHaveLength(1);
});

test("the files of an album keep their order where the ids of its parts get another digit", async () => {
  const clock = new ManualClock();
  await using scene = await startScene(WEBHOOK, hostAt(URL, clock));
  const { channel, host, telegram } = scene;
  await channel.start(soon());
  while (telegram.addMessage({ chatId: ALICE, fromId: ALICE, text: "earlier" }).id < 998);
  const parts = [part(scene), part(scene), part(scene)];
  expect(parts.map(({ message }) => (message as { message_id: number }).message_id)).toEqual([999, 1000, 1001]);
  for (const update of parts) await channel.handleWebhook(telegramWebhookRequest(URL, update, { secretToken: SECRET }), soon());
  clock.advance(1_000);
  await host.storedMessages(1);
  const names = [1, 2, 3].map((number) => JSON.stringify({ file: `FILE${number}-id_of_the_fake` }));
  expect(host.stored[0]?.attachments.map(({ ref }) => ref)).toEqual(names);
});

test("an album that was not passed on before a restart is passed on after it, and after a failure again", async () => {
  const clock = new ManualClock();
  await using scene = await startScene(WEBHOOK, hostAt(URL, clock));
  const { channel, host } = scene;
  await channel.start(soon());
  for (const update of [part(scene), part(scene)])
    await channel.handleWebhook(telegramWebhookRequest(URL, update, { secretToken: SECRET }), soon());
  await channel.stop(soon());
  clock.advance(10_000);
  expect(host.received).toEqual([]);
  const successor = scene.another();
  await successor.start(soon());
  host.failNext();
  clock.advance(1_000);
  await expect.poll(() => successor.health().detail).toBe("an album could not be stored; it is tried again");
  clock.advance(5_000);
  await host.storedMessages(1);
  expect(host.stored[0]?.attachments).toHaveLength(2);
});

test.each([WEBHOOK, { type: "polling" } as const])(
  "an album whose parts were acknowledged is passed on a month later, by %j",
  async (transport) => {
    const clock = new ManualClock();
    await using scene = await startScene(WEBHOOK, hostAt(URL, clock));
    const { channel, host } = scene;
    await channel.start(soon());
    for (const update of [part(scene), part(scene)])
      await channel.handleWebhook(telegramWebhookRequest(URL, update, { secretToken: SECRET }), soon());
    await channel.stop(soon());
    clock.advance(30 * 24 * 60 * 60_000);
    await scene.another(transport).start(soon());
    clock.advance(1_000);
    await host.storedMessages(1);
    expect(host.stored[0]?.attachments).toHaveLength(2);
    expect(host.received).toHaveLength(1);
  },
);

test.each(["message_reaction", "my_chat_member", "poll_answer", "callback_query"])(
  "a %s of another form counts as unreadable",
  async (type) => {
    await using scene = await startScene(WEBHOOK, hostAt(URL));
    await scene.channel.start(soon());
    const update = { update_id: 1, [type]: { id: 7 } } as unknown as TelegramUpdate;
    await scene.channel.handleWebhook(telegramWebhookRequest(URL, update, { secretToken: SECRET }), soon());
    expect(scene.channel.health().detail).toContain("1 message could not be read and is lost");
  },
);
