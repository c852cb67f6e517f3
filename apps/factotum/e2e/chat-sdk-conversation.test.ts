import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { telegramMessageUpdate, telegramReactionUpdate, telegramWebhookRequest } from "@factotum/testing-channels";
import { runCommand } from "@factotum/testing-product";
import { callTools, createGate, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { SECRET, startChatSdkScene } from "./chat-sdk-scene.ts";
import { FORUM, OWNER } from "./telegram-scene.ts";
import type { TelegramScene } from "./telegram-scene.ts";

/** The newest prompt of the model, as text. */
function newestPrompt({ model }: TelegramScene): string {
  return JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
}

const REPORT = Buffer.from("quarter,sales\n1,4711\n");

test("a text is answered once, also when it is posted again after a kill; edits and reactions are seen", async () => {
  await using scene = await startChatSdkScene();
  const { telegram } = scene;
  scene.model.respond(() => sayText("**Hello** & welcome"));
  const update = await scene.say("Good morning");
  const [answer] = await scene.shown((sent) => sent.length === 1);
  expect(answer).toMatchObject({ chatId: OWNER, text: "**Hello** & welcome" });
  await scene.deliver(update);
  await scene.killAndStart();
  await scene.deliver(update);
  const question = telegram.store.messages.find(({ text }) => text === "Good morning");
  if (question === undefined || answer === undefined) throw new Error("a message is missing");
  question.text = "Good evening";
  question.edits = 1;
  await scene.deliver(telegramMessageUpdate(telegram, question));
  await scene.deliver(telegramReactionUpdate(telegram, answer, { fromId: OWNER, before: [], after: ["🎉"] }));
  scene.model.respond(() => sayText("Still here"));
  await scene.say("And now?");
  const sent = await scene.shown((all) => all.length >= 2);
  expect(sent.map(({ text }) => text)).toEqual(["**Hello** & welcome", "Still here"]);
  for (const shown of ["Good evening", "🎉"]) expect(newestPrompt(scene)).toContain(shown);
  expect(scene.model.requests).toHaveLength(2);
  for (const secret of [telegram.app.token, SECRET, "Good morning"]) expect(scene.product.output()).not.toContain(secret);
});

test("files arrive and are sent byte for byte, and an answer that grows is one message that is edited", async () => {
  await using scene = await startChatSdkScene({ streaming: { mode: "partial" } });
  const { telegram } = scene;
  telegram.app.hasRichMessages = false;
  await writeFile(path.join(scene.workspace, "report.csv"), REPORT);
  scene.model.respond(() => sayText("Here it is.\nMEDIA:report.csv"));
  const file = telegram.addFile({ name: "in.csv", mimeType: "text/csv", bytes: REPORT });
  await scene.say("Send it back", { file, kind: "document" });
  const sent = await scene.shown((all) => all.some((message) => message.file !== undefined));
  expect(sent.flatMap((message) => (message.file === undefined ? [] : [Buffer.from(message.file.bytes)]))).toEqual([REPORT]);
  const [, received = ""] = /file: (\/[^)]*)\)\]/.exec(newestPrompt(scene)) ?? [];
  expect(await readFile(received)).toEqual(REPORT);
  const before = telegram.sent.length;
  const gate = createGate();
  const text = "This is one sentence of a long answer. ".repeat(20).trim();
  scene.model.respond(() => ({ ...sayText(text), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
  await scene.say("Tell me");
  const preview = (await scene.shown((all) => all.length === before + 1)).at(-1);
  expect(text.startsWith(preview?.text ?? "?")).toBe(true);
  gate.open();
  await scene.shown((all) => all.at(-1)?.text === text);
  expect(telegram.sent).toHaveLength(before + 1);
  expect(preview?.edits).toBeGreaterThan(0);
});

test("a topic is a conversation of its own, commands run, and a button is pressed after a kill", async () => {
  await using scene = await startChatSdkScene();
  scene.model.respond(() => sayText("Noted."));
  const mention = { entities: [{ type: "mention", offset: 0, length: 13 }] };
  await scene.say("@factotum_bot remember it", { chatId: FORUM, threadId: 77 }, mention);
  const [answer] = await scene.shown((sent) => sent.length === 1);
  expect(answer).toMatchObject({ chatId: FORUM, threadId: 77, text: "Noted." });
  await scene.say("/whoami", {}, { entities: [{ type: "bot_command", offset: 0, length: 7 }] });
  const sent = await scene.shown((all) => all.length === 2);
  expect(sent[1]?.text).toContain(String(OWNER));
  const card = { body: "Shall I?", buttons: [{ label: "Go", value: "x".repeat(200), style: "primary" }] };
  const replies = [callTools({ name: "message", arguments: { action: "card", card } }), sayText("Choose.")];
  scene.model.respond(() => replies.shift() ?? sayText("Nothing more."));
  await scene.say("Ask me");
  await scene.shown((all) => all.some(({ text }) => text === "Choose."));
  const shown = scene.telegram.sent.find(({ buttons }) => buttons.length > 0);
  await scene.killAndStart();
  scene.model.respond(() => sayText("Gone."));
  if (shown === undefined) throw new Error("the card is missing");
  await scene.press(shown, "Go");
  await scene.shown((all) => all.some(({ text }) => text === "Gone."));
  expect(newestPrompt(scene)).toContain("Pressed the button");
  expect(scene.telegram.pressAnswers.size).toBe(1);
});

test("a request without the secret is refused, and a wrong token is reported with what to do", async () => {
  await using scene = await startChatSdkScene({}, { botToken: ["110201543", "AAHwrongwrongwrongwrongwrongwrong12"].join(":") });
  const update = telegramMessageUpdate(scene.telegram, scene.telegram.addMessage({ chatId: OWNER, fromId: OWNER, text: "Hi" }));
  const request = telegramWebhookRequest(`${scene.product.url}/channels/chat-sdk/default`, update, { secretToken: "another" });
  expect((await fetch(request)).ok).toBe(false);
  expect(scene.model.requests).toEqual([]);
  for (const args of [["status"], ["channels", "probe", "chat-sdk"]]) {
    const { stdout, stderr } = await runCommand(args, { home: scene.product.home });
    expect(`${stdout}${stderr}`, args.join(" ")).toContain("Unauthorized; the platform refuses the credential in options");
  }
});

test("an adapter that is not installed is reported with the command that installs it", async () => {
  await using scene = await startChatSdkScene({ adapter: "@chat-adapter/none" });
  const { stdout } = await runCommand(["status"], { home: scene.product.home });
  expect(stdout).toContain("the adapter @chat-adapter/none is not installed; install it with: npm install --save-exact --prefix");
});
