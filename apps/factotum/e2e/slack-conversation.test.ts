import { createGate, sayText } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startSlackScene } from "./slack-scene.ts";
import type { SlackScene } from "./slack-scene.ts";

/** The newest prompt of the model, as text. */
function newestPrompt({ model }: SlackScene): string {
  const messages = (model.requests.at(-1)?.body?.["messages"] ?? []) as unknown as readonly unknown[];
  return JSON.stringify(messages.at(-1));
}

describe.each(["socket", "http"] as const)("a Slack conversation over %s", (transport) => {
  test("a text is answered where it was written, once, also when it is delivered again and after a restart", async () => {
    await using scene = await startSlackScene(transport);
    scene.model.respond(() => sayText("**Hello** & welcome"));
    const message = await scene.say("Good morning");
    const [answer] = await scene.shown((sent) => sent.length === 1);
    expect(answer).toMatchObject({ channel: "D0ALICE", text: "*Hello* &amp; welcome" });
    expect(answer?.threadTs).toBeUndefined();
    expect(newestPrompt(scene)).toContain("Good morning");
    await scene.redeliver(message);
    await scene.killAndStart();
    await scene.redeliver(message);
    scene.model.respond(() => sayText("Still here"));
    await scene.say("And now?");
    const sent = await scene.shown((all) => all.length >= 2);
    expect(sent.map(({ text }) => text)).toEqual(["*Hello* &amp; welcome", "Still here"]);
    expect(scene.model.requests).toHaveLength(2);
    const { botToken, appToken, signingSecret } = scene.slack.app;
    for (const secret of [botToken, appToken, signingSecret]) expect(scene.product.output()).not.toContain(secret);
  });

  test("a kill before the answer leaves one answer", async () => {
    await using scene = await startSlackScene(transport);
    const gate = scene.model.hold();
    scene.model.respond(() => sayText("Once"));
    await scene.say("Slowly");
    await scene.model.nextRequest();
    await scene.product.end("SIGKILL");
    gate.open();
    await scene.killAndStart();
    await scene.shown((sent) => sent.length === 1);
    scene.model.respond(() => sayText("Twice"));
    await scene.say("Again");
    const sent = await scene.shown((all) => all.length >= 2);
    expect(sent.map(({ text }) => text)).toEqual(["Once", "Twice"]);
  });

  test("a message in a thread is answered there, and the model gets the thread's earlier messages", async () => {
    await using scene = await startSlackScene(transport);
    const root = scene.slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", text: "The release is *late*" });
    scene.slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", threadTs: root.ts, text: "Two days, I fear" });
    scene.model.respond(() => sayText("Noted."));
    await scene.say("what happened? ", { channel: "C0GENERAL", threadTs: root.ts, mentionsBot: true });
    const [answer] = await scene.shown((sent) => sent.length === 1);
    expect(answer).toMatchObject({ channel: "C0GENERAL", threadTs: root.ts, text: "Noted." });
    for (const shown of ["The release is **late**", "Two days, I fear", "Alice", "#general"]) expect(newestPrompt(scene)).toContain(shown);
  });

  test("the first mention in a channel shows what was written there before the start, once", async () => {
    await using scene = await startSlackScene(transport);
    const earlier = ["The release is late", "Two days, I fear"];
    for (const text of earlier) scene.slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", text });
    for (const text of ["what happened? ", "and now? "]) {
      scene.model.respond(() => sayText("Noted."));
      await scene.say(text, { channel: "C0GENERAL", mentionsBot: true });
      await scene.shown(
        (sent) => sent.length === scene.model.requests.length && sent.length > 0 && newestPrompt(scene).includes(text.trim()),
      );
    }
    const whole = JSON.stringify(scene.model.requests.at(-1)?.body?.["messages"]);
    for (const text of earlier) expect(whole.split(text)).toHaveLength(2);
    expect(whole).toContain("Chat history since the last reply");
  });

  test("an answer that grows is one message that is edited", async () => {
    await using scene = await startSlackScene(transport, { streaming: { mode: "partial" } });
    const gate = createGate();
    const text = "This is one sentence of a long answer. ".repeat(20).trim();
    scene.model.respond(() => ({ ...sayText(text), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
    await scene.say("Tell me");
    const [preview] = await scene.shown((sent) => sent.length === 1);
    expect(text.startsWith(preview?.text ?? "?")).toBe(true);
    expect(preview?.text).not.toBe(text);
    gate.open();
    const sent = await scene.shown((all) => all[0]?.text === text);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.edits).toBeGreaterThan(0);
  });

  test("a pressed button runs its command, or is a message for the model", async () => {
    await using scene = await startSlackScene(transport);
    const card = scene.slack.addMessage({ channel: "D0ALICE", user: scene.slack.app.bot.userId, text: "A card" });
    scene.model.respond(() => sayText("Ordered."));
    await scene.press(card, { label: "Order it", value: "order-7" });
    await scene.shown((sent) => sent.length === 1);
    expect(newestPrompt(scene)).toContain("[Pressed the button: Order it]");
    await scene.press(card, { label: "Who am I?", value: "/whoami" });
    const sent = await scene.shown((all) => all.length === 2);
    expect(sent[1]?.text).toContain("U0ALICE");
    expect(scene.model.requests).toHaveLength(1);
  });

  test("the slash command runs commands, and passes on messages, also where the bot is not a member", async () => {
    await using scene = await startSlackScene(transport);
    await scene.command("/factotum", "whoami");
    const [first] = await scene.shown((sent) => sent.length === 1);
    expect(first).toMatchObject({ channel: "D0ALICE" });
    expect(first?.text).toContain("U0ALICE");
    scene.model.respond(() => sayText("Sunny."));
    await scene.command("/factotum", "how is the weather?");
    await scene.shown((sent) => sent.length === 2);
    expect(newestPrompt(scene)).toContain("how is the weather?");
    scene.slack.app.conversations.set("C0PRIVATE", { id: "C0PRIVATE", kind: "private", name: "private", isMember: false });
    await scene.command("/factotum", "whoami", "C0PRIVATE");
    await scene.slack.request(({ path }) => path.startsWith("/commands/"));
    expect(scene.slack.responses[0]).toMatchObject({ response_type: "ephemeral" });
    expect(scene.slack.responses[0]?.["text"]).toContain("U0ALICE");
    expect(scene.slack.sent).toHaveLength(2);
  });

  test("edits, deletions and reactions are shown to the model with the next message", async () => {
    await using scene = await startSlackScene(transport);
    scene.model.respond(() => sayText("Fine."));
    const message = await scene.say("Meet at nine");
    await scene.shown((sent) => sent.length === 1);
    const ts = `${Math.floor(Date.now() / 1_000)}.900000`;
    await scene.event({
      type: "message",
      subtype: "message_changed",
      channel: "D0ALICE",
      channel_type: "im",
      ts,
      event_ts: ts,
      message: { type: "message", user: "U0ALICE", ts: message.ts, text: "Meet at ten", edited: { user: "U0ALICE", ts } },
      previous_message: { type: "message", user: "U0ALICE", ts: message.ts, text: "Meet at nine" },
    });
    const item = { type: "message", channel: "D0ALICE", ts: scene.slack.sent[0]?.ts };
    const itemUser = scene.slack.app.bot.userId;
    await scene.event({ type: "reaction_added", user: "U0ALICE", reaction: "tada", item, item_user: itemUser, event_ts: ts });
    await scene.say("Did you see?");
    await scene.shown((sent) => sent.length === 2);
    for (const shown of ["Meet at ten", "🎉"]) expect(JSON.stringify(scene.model.requests.at(-1)?.body)).toContain(shown);
  });
});
