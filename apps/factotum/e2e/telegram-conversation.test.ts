import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { telegramMessageUpdate, telegramReactionUpdate } from "@factotum/testing-channels";
import { callTools, createGate, sayText } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { FORUM, OWNER, startTelegramScene } from "./telegram-scene.ts";
import type { TelegramScene } from "./telegram-scene.ts";

/** The newest prompt of the model, as text. */
function newestPrompt({ model }: TelegramScene): string {
  return JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
}

const REPORT = Buffer.from("quarter,sales\n1,4711\n");

describe.each(["polling", "webhook"] as const)("a Telegram conversation by %s", (transport) => {
  test("a text is answered once, also when it is delivered again and after a restart; edits and reactions are seen", async () => {
    await using scene = await startTelegramScene(transport);
    const { telegram } = scene;
    scene.model.respond(() => sayText("**Hello** & welcome"));
    const update = await scene.say("Good morning");
    const [answer] = await scene.shown((sent) => sent.length === 1);
    expect(answer).toMatchObject({ chatId: OWNER, text: "Hello & welcome", entities: [{ type: "bold", offset: 0, length: 5 }] });
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
    expect(sent.map(({ text }) => text)).toEqual(["Hello & welcome", "Still here"]);
    for (const shown of ["Good evening", "🎉"]) expect(newestPrompt(scene)).toContain(shown);
    expect(scene.model.requests).toHaveLength(2);
    expect(scene.product.output()).not.toContain(telegram.app.token);
  });

  test("files arrive and are sent byte for byte, and an answer that grows is one message that is edited", async () => {
    await using scene = await startTelegramScene(transport, { streaming: { mode: "partial" } });
    const { telegram } = scene;
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

  test("a topic is a conversation of its own, commands run, and a button is pressed", async () => {
    await using scene = await startTelegramScene(transport);
    const { telegram } = scene;
    scene.model.respond(() => sayText("Noted."));
    const mention = { entities: [{ type: "mention", offset: 0, length: 13 }] };
    await scene.say("@factotum_bot remember it", { chatId: FORUM, threadId: 77 }, mention);
    const [answer] = await scene.shown((sent) => sent.length === 1);
    expect(answer).toMatchObject({ chatId: FORUM, threadId: 77, text: "Noted." });
    const command = { entities: [{ type: "bot_command", offset: 0, length: 7 }] };
    await scene.say("/whoami", {}, command);
    const sent = await scene.shown((all) => all.length === 2);
    expect(sent[1]?.text).toContain(String(OWNER));
    expect((telegram.app.commands.get("all_group_chats") ?? []).map(({ command: name }) => name)).toContain("whoami");
    const card = { body: "Shall I?", buttons: [{ label: "Go", value: "x".repeat(200), style: "primary" }] };
    const replies = [callTools({ name: "message", arguments: { action: "card", card } }), sayText("Choose.")];
    scene.model.respond(() => replies.shift() ?? sayText("Nothing more."));
    await scene.say("Ask me");
    const [shown] = (await scene.shown((all) => all.some(({ buttons }) => buttons.length > 0))).filter(({ buttons }) => buttons.length > 0);
    await scene.shown((all) => all.some(({ text }) => text === "Choose."));
    await scene.killAndStart();
    scene.model.respond(() => sayText("Gone."));
    if (shown !== undefined) await scene.press(shown, "Go");
    await scene.shown((all) => all.some(({ text }) => text === "Gone."));
    expect(newestPrompt(scene)).toContain("[Pressed the button: Go]");
    expect(telegram.pressAnswers.size).toBe(1);
  });
});
