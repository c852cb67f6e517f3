import type { MsgContext, SendReceipt } from "@factotum/channel-contract";
import type { DiscordInteractionInput } from "@factotum/testing-channels";
import { ManualClock } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALICE, CHANNEL, DIRECT, startScene, THREAD } from "../test/scene.ts";
import type { DiscordScene } from "../test/scene.ts";

let clock: ManualClock;
let scene: DiscordScene;

beforeEach(async () => {
  clock = new ManualClock();
  scene = await startScene({ clock, now: () => clock.now() });
  await scene.start();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

const COMMAND: DiscordInteractionInput = { type: 2, userId: ALICE, channelId: CHANNEL, data: { id: "1", name: "status", type: 1 } };

/** A person's interaction; resolves with what was passed on, once it is acknowledged. */
async function interact(input: DiscordInteractionInput): Promise<{ readonly id: string; readonly received: MsgContext }> {
  const interaction = scene.discord.interactions.create(input);
  const passed = scene.host.passedOn(`interaction/${interaction.id}`);
  scene.discord.gateway.dispatch("INTERACTION_CREATE", interaction);
  await passed;
  await acknowledged(interaction.id);
  const received = scene.host.received.at(-1);
  if (received === undefined) throw new Error("nothing was passed on");
  return { id: interaction.id, received };
}

async function acknowledged(id: string): Promise<void> {
  await scene.discord.request(({ path }) => path.startsWith(`/interactions/${id}/`));
  while (scene.discord.interactions.answerOf(id) === undefined) await new Promise((resolve) => setImmediate(resolve));
}

async function answer({ received }: { readonly received: MsgContext }, text: string, key?: string): Promise<SendReceipt> {
  return scene.send(
    { type: "text", text },
    {
      conversation: received.origin.conversation,
      ...(key !== undefined && { key }),
      ...(received.replyContext !== undefined && { replyContext: received.replyContext.data }),
    },
  );
}

const paths = (): readonly string[] =>
  scene.discord.requests
    .filter(({ isChange }) => isChange)
    .map(({ method, path }) => `${method} ${path.replaceAll(/\/[\w-]{20,}/g, "/…").replaceAll(/\d{10,}/g, "…")}`);

describe("a command", () => {
  test("in a thread has its address, its options and fifteen minutes for answers", async () => {
    const options = [
      { name: "arguments", type: 3, value: "now" },
      { name: "deep", type: 5, value: true },
    ];
    const { received, id } = await interact({ ...COMMAND, channelId: THREAD, data: { name: "status", type: 1, options } });
    expect(received).toMatchObject({
      origin: { conversation: { kind: "channel", id: CHANNEL, threadId: THREAD, spaceId: scene.discord.app.guild.id } },
      command: { name: "status", argumentsText: "now", options: { deep: true } },
      text: "/status now",
      sender: { id: ALICE, name: "Alice" },
    });
    expect(scene.discord.interactions.answerOf(id)?.type).toBe(5);
    const leftMs = (received.replyContext?.expiresAtMs ?? 0) - clock.now();
    expect(leftMs).toBeGreaterThan(14 * 60_000);
    expect(leftMs).toBeLessThan(15 * 60_000);
  });

  test("is acknowledged at the deadline while it cannot be stored, and stored later", async () => {
    scene.host.failNext();
    const interaction = scene.discord.interactions.create(COMMAND);
    const passed = scene.host.passedOn(`interaction/${interaction.id}`);
    scene.discord.gateway.dispatch("INTERACTION_CREATE", interaction);
    expect(await passed).toBe("failed");
    expect(scene.discord.interactions.answerOf(interaction.id)).toBeUndefined();
    clock.advance(2_000);
    await acknowledged(interaction.id);
    await scene.host.storedMessages(1);
    expect(scene.host.stored[0]?.command?.name).toBe("status");
  });

  test("is answered in the place of the sign, once; later answers are messages of their own", async () => {
    const command = await interact(COMMAND);
    const first = await answer(command, "one", "key-1");
    expect(await answer(command, "one", "key-1")).toEqual(first);
    await answer(command, "two", "key-2");
    expect(scene.discord.sent.map(({ content, channelId }) => [content, channelId])).toEqual([
      ["one", CHANNEL],
      ["two", CHANNEL],
    ]);
    expect(paths()).toEqual([
      "PATCH /webhooks/…/…/messages/@original",
      "PATCH /webhooks/…/…/messages/@original",
      "POST /channels/…/messages",
    ]);
  });

  test("is answered by its token alone where the bot does not see the channel", async () => {
    scene.discord.app.hidden.add(CHANNEL);
    const command = await interact(COMMAND);
    for (const text of ["one", "two"]) expect((await answer(command, text)).type).toBe("accepted");
    expect(scene.discord.sent.map(({ content }) => content)).toEqual(["one", "two"]);
  });

  test("is answered by a message once its token has expired", async () => {
    const command = await interact(COMMAND);
    clock.advance(16 * 60_000);
    expect((await answer(command, "late")).type).toBe("accepted");
    expect(scene.discord.sent.map(({ content, webhookId }) => [content, webhookId])).toEqual([["late", undefined]]);
  });

  test("for another application is neither passed on nor answered", async () => {
    const foreign = scene.discord.interactions.create(COMMAND);
    scene.discord.gateway.dispatch("INTERACTION_CREATE", { ...foreign, application_id: "1180000000000000009" });
    const { received } = await interact(COMMAND);
    expect(scene.host.received).toEqual([received]);
    expect(received.eventId).not.toContain(foreign.id);
    expect(scene.discord.requests.filter(({ path }) => path.includes(foreign.id))).toEqual([]);
  });

  test("of another kind, such as a menu of a message, is ignored", async () => {
    scene.discord.gateway.dispatch("INTERACTION_CREATE", scene.discord.interactions.create({ ...COMMAND, data: { name: "x", type: 3 } }));
    await scene.say("next");
    expect(scene.host.received.map(({ text }) => text)).toEqual(["next"]);
  });
});

describe("completions", () => {
  const complete = async (name: string, value: string): Promise<unknown> => {
    const option = { name: "arguments", type: 3, value, focused: true };
    const interaction = scene.discord.interactions.create({ ...COMMAND, type: 4, data: { name, type: 1, options: [option] } });
    scene.discord.gateway.dispatch("INTERACTION_CREATE", interaction);
    await acknowledged(interaction.id);
    return scene.discord.interactions.answerOf(interaction.id);
  };

  test("are the words that the summary of a command names, and what is typed", async () => {
    scene.host.setCommands([
      { name: "model", summary: "show the model; /model list names those, /model <name> chooses, /model default undoes that" },
    ]);
    const choice = (word: string): object => ({ name: word, value: word });
    expect(await complete("model", "")).toEqual({ type: 8, data: { choices: [choice("list"), choice("default")] } });
    expect(await complete("model", "d")).toEqual({ type: 8, data: { choices: [choice("default"), choice("d")] } });
    expect(await complete("unknown", "")).toEqual({ type: 8, data: { choices: [] } });
  });

  test("are registered for the commands that have some", async () => {
    scene.host.setCommands([
      { name: "model", summary: "/model list names those" },
      { name: "Stop", summary: "stop" },
    ]);
    while (scene.discord.app.commands.length !== 2 || scene.discord.app.commands[0]?.name !== "model")
      await new Promise((resolve) => setImmediate(resolve));
    expect(scene.discord.app.commands.map(({ name, options }) => [name, options?.[0]?.["autocomplete"]])).toEqual([
      ["model", true],
      ["stop", false],
    ]);
  });
});

describe("a button", () => {
  const CARD = {
    title: "Order",
    body: "What shall it be?",
    inputs: [{ type: "text", id: "name", label: "Name" } as const],
    buttons: [{ actionId: "send", label: "Send", value: "v".repeat(300), style: "primary" } as const],
  };
  const press = (customId: string, more: Partial<DiscordInteractionInput> = {}): DiscordInteractionInput => {
    const message = scene.discord.sent.at(-1);
    return { type: 3, userId: ALICE, channelId: DIRECT, data: { custom_id: customId }, ...(message !== undefined && { message }), ...more };
  };

  test("is known after a restart, with its long value, and its answers are messages", async () => {
    await scene.send({ type: "card", card: { ...CARD, inputs: [] } });
    const [button] = scene.discord.sent[0]?.buttons.flat() ?? [];
    await scene.channel.stop({ signal: AbortSignal.timeout(60_000) });
    await scene.another().start({ signal: AbortSignal.timeout(60_000) });
    const pressed = await interact(press(button?.custom_id ?? ""));
    expect(pressed.received.event).toEqual({
      type: "action",
      actionId: "send",
      value: "v".repeat(300),
      targetId: scene.discord.sent[0]?.id,
    });
    expect(scene.discord.interactions.answerOf(pressed.id)?.type).toBe(6);
  });

  test("that is not known any more says so to the person alone", async () => {
    await scene.send({ type: "card", card: { ...CARD, inputs: [] } });
    const interaction = scene.discord.interactions.create(press("AAAAAAAAAAAAAAAA:0"));
    scene.discord.gateway.dispatch("INTERACTION_CREATE", interaction);
    await acknowledged(interaction.id);
    expect(scene.discord.interactions.answerOf(interaction.id)).toEqual({
      type: 4,
      data: { content: "This button does not work any more.", flags: 64 },
    });
    await scene.say("next");
    expect(scene.host.received.map(({ text }) => text)).toEqual(["next"]);
  });

  test("of a form opens its dialog, and nothing is passed on before it is filled in", async () => {
    await scene.send({ type: "card", card: CARD });
    const [button] = scene.discord.sent[0]?.buttons.flat() ?? [];
    const interaction = scene.discord.interactions.create(press(button?.custom_id ?? ""));
    scene.discord.gateway.dispatch("INTERACTION_CREATE", interaction);
    await acknowledged(interaction.id);
    expect(scene.discord.interactions.answerOf(interaction.id)).toMatchObject({
      type: 9,
      data: { title: "Order", components: [{ label: "Name" }] },
    });
    const fields = [{ type: 18, component: { type: 4, custom_id: "0", value: "Ann" } }];
    const { received } = await interact(
      press(button?.custom_id ?? "", { type: 5, data: { custom_id: button?.custom_id, components: fields } }),
    );
    expect(received.event).toMatchObject({ type: "action", actionId: "send", inputs: { name: "Ann" } });
    expect(scene.host.received).toHaveLength(1);
  });
});
