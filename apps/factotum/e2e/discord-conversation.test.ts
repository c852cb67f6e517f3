import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { callTools, createGate, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { CHANNEL, DIRECT, OWNER, startDiscordScene, THREAD } from "./discord-scene.ts";
import type { DiscordScene } from "./discord-scene.ts";

/** The newest prompt of the model, as text. */
function newestPrompt({ model }: DiscordScene): string {
  return JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
}

const REPORT = Buffer.from("quarter,sales\n1,4711\n");

test("a text is answered once; after a kill the session goes on, and what was written meanwhile is answered", async () => {
  await using scene = await startDiscordScene();
  const { discord } = scene;
  scene.model.respond(() => sayText("**Hello** & welcome"));
  const question = scene.say("Good morning");
  const [answer] = await scene.shown((sent) => sent.length === 1);
  expect(answer).toMatchObject({ channelId: DIRECT, content: "**Hello** & welcome" });
  await scene.kill();
  scene.model.respond(() => sayText("Still here"));
  question.content = "Good evening";
  question.editedAtMs = discord.app.now();
  discord.gateway.dispatch("MESSAGE_UPDATE", discord.messageData(question));
  if (answer !== undefined) discord.gateway.dispatch("MESSAGE_REACTION_ADD", discord.reactionData(answer, { userId: OWNER, emoji: "🎉" }));
  scene.say("And now?");
  await scene.start();
  const sent = await scene.shown((all) => all.length >= 2);
  expect(sent.map(({ content }) => content)).toEqual(["**Hello** & welcome", "Still here"]);
  for (const shown of ["Good evening", "🎉"]) expect(newestPrompt(scene)).toContain(shown);
  expect(discord.gateway.logins.map(({ type }) => type)).toEqual(["identify", "resume"]);
  expect(scene.model.requests).toHaveLength(2);
  expect(scene.product.output()).not.toContain(discord.app.token);
});

test("files arrive and are sent byte for byte, and an answer that grows is one message that is edited", async () => {
  await using scene = await startDiscordScene({ streaming: { mode: "partial" } });
  const { discord } = scene;
  await writeFile(path.join(scene.workspace, "report.csv"), REPORT);
  scene.model.respond(() => sayText("Here it is.\nMEDIA:report.csv"));
  scene.say("Send it back", { files: [discord.addFile({ name: "in.csv", mimeType: "text/csv", bytes: REPORT })] });
  const sent = await scene.shown((all) => all.some(({ files }) => files.length > 0));
  expect(sent.flatMap(({ files }) => files.map(({ bytes }) => Buffer.from(bytes)))).toEqual([REPORT]);
  const [, received = ""] = /file: (\/[^)]*)\)\]/.exec(newestPrompt(scene)) ?? [];
  expect(await readFile(received)).toEqual(REPORT);
  const before = discord.sent.length;
  const gate = createGate();
  const text = "This is one sentence of a long answer. ".repeat(20).trim();
  scene.model.respond(() => ({ ...sayText(text), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
  scene.say("Tell me");
  const preview = (await scene.shown((all) => all.length === before + 1)).at(-1);
  expect(text.startsWith(preview?.content ?? "?")).toBe(true);
  gate.open();
  await scene.shown((all) => all.at(-1)?.content === text);
  expect(discord.sent).toHaveLength(before + 1);
  expect(preview?.edits).toBeGreaterThan(0);
});

test("a thread is a conversation of its own, a slash command is answered in its place, and a button works after a kill", async () => {
  await using scene = await startDiscordScene();
  const { discord } = scene;
  scene.model.respond(() => sayText("Noted."));
  discord.addMessage({ channelId: THREAD, authorId: "100000000000000002", content: "We need a plan" });
  scene.say(`<@${discord.app.bot.id}> remember it`, { channelId: THREAD });
  const [answer] = await scene.shown((sent) => sent.length === 1);
  expect(answer).toMatchObject({ channelId: THREAD, content: "Noted." });
  for (const shown of ["We need a plan", "general", "Bob"]) expect(newestPrompt(scene)).toContain(shown);
  const command = scene.interact({ type: 2, channelId: CHANNEL, data: { name: "whoami", type: 1 } });
  const sent = await scene.shown((all) => all.length === 2);
  expect(sent[1]).toMatchObject({ channelId: CHANNEL, webhookId: discord.app.applicationId });
  expect(sent[1]?.content).toContain(OWNER);
  expect(discord.interactions.answerOf(command)?.type).toBe(5);
  expect(discord.app.commands.map(({ name }) => name)).toContain("whoami");
  const card = { body: "Shall I?", buttons: [{ label: "Go", value: "x".repeat(200), style: "primary" }] };
  const replies = [callTools({ name: "message", arguments: { action: "card", card } }), sayText("Choose.")];
  scene.model.respond(() => replies.shift() ?? sayText("Nothing more."));
  scene.say("Ask me");
  const shown = (await scene.shown((all) => all.some(({ buttons }) => buttons.length > 0))).find(({ buttons }) => buttons.length > 0);
  await scene.shown((all) => all.some(({ content }) => content === "Choose."));
  await scene.kill();
  scene.model.respond(() => sayText("Gone."));
  await scene.start();
  const [button] = shown?.buttons.flat() ?? [];
  if (shown === undefined || button === undefined) throw new Error("there is no button");
  const press = scene.interact({ type: 3, channelId: DIRECT, data: { component_type: 2, custom_id: button.custom_id }, message: shown });
  await scene.shown((all) => all.some(({ content }) => content === "Gone."));
  expect(newestPrompt(scene)).toContain("[Pressed the button: Go]");
  expect(discord.interactions.answerOf(press)?.type).toBe(6);
});
