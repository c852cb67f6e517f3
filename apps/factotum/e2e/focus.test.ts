import { callTools, createGate, sayText } from "@factotum/testing-providers";
import type { CapturedRequest, Gate, MessageReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { FORUM, OWNER, startTelegramScene } from "./telegram-scene.ts";
import type { TelegramScene } from "./telegram-scene.ts";

const BOB = 1002;
const GROUPS = { groups: { "*": { requireMention: false } } };

/** The model: it opens a sub-agent, which answers with the words that it was asked; answers to `held` words wait for the gate. */
function answerWith(scene: TelegramScene, held: { readonly word: string; readonly gate: Gate } | undefined): void {
  scene.model.respond((request) => {
    const reply = answer(request);
    return held !== undefined && asked(request).includes(held.word)
      ? { ...reply, fault: { type: "slow-headers", until: held.gate } }
      : reply;
  });
}

function asked({ body }: CapturedRequest): string {
  return JSON.stringify((body?.["messages"] as readonly unknown[] | undefined)?.at(-1));
}

function answer(request: CapturedRequest): MessageReply {
  const last = asked(request);
  const word = /word-[a-z]+/g;
  if (JSON.stringify(request.body?.["system"]).includes("### Subagent Context"))
    return sayText(`watch: ${last.match(word)?.at(-1) ?? "?"}`);
  if (last.includes("has ended a run")) return sayText(`told: ${/watch: (word-[a-z]+)/.exec(last)?.[1] ?? "?"}`);
  if (last.includes('\\"status\\":\\"accepted\\"')) return sayText("asked");
  if (!last.includes("Open a watch")) return sayText(`main: ${last.match(word)?.at(-1) ?? "?"}`);
  const spawn = { task: "word-first", label: "watch", mode: "session" };
  return callTools({ name: "tool_call", arguments: { name: "sessions_spawn", arguments: spawn } });
}

test("a sub-agent of a forum has a topic, where it answers once, also through kills, and gives no one other rights", async () => {
  await using scene = await startTelegramScene("polling", { allowFrom: [String(OWNER)], ...GROUPS });
  const { telegram } = scene;
  const texts = (threadId?: number): readonly string[] =>
    telegram.sent.filter((sent) => sent.chatId === FORUM && sent.threadId === threadId).map(({ text }) => text);
  answerWith(scene, undefined);
  await scene.say("Open a watch", { chatId: FORUM });
  await scene.shown(() => texts().includes("told: word-first"));
  const topic = [...(telegram.app.chats.get(FORUM)?.topics ?? [])].find(([, name]) => name === "watch")?.[0] ?? 0;
  await scene.shown(() => texts(topic).some((text) => text.includes("watch: word-first")));
  expect(texts(topic)[0]).toContain('What is said in this thread goes to the sub-agent "watch".');

  await scene.say("And word-second?", { chatId: FORUM, threadId: topic });
  await scene.shown(() => texts(topic).at(-1) === "watch: word-second");

  // Killed between a message and its answer: in the topic, and by its parent.
  const gate = createGate();
  answerWith(scene, { word: "word-third", gate });
  await scene.say("And word-third?", { chatId: FORUM, threadId: topic });
  await expect.poll(() => scene.model.requests.filter((request) => asked(request).includes("word-third")).length).toBe(1);
  await scene.killAndStart();
  gate.open();
  answerWith(scene, undefined);
  await scene.shown(() => texts(topic).at(-1) === "watch: word-third");
  const other = createGate();
  answerWith(scene, { word: "word-fourth", gate: other });
  await scene.say("/subagents steer watch And word-fourth?", { chatId: FORUM });
  await expect.poll(() => scene.model.requests.filter((request) => asked(request).includes("word-fourth")).length).toBe(1);
  await scene.killAndStart();
  other.open();
  answerWith(scene, undefined);
  await scene.shown(() => texts().includes("told: word-fourth"));
  await scene.shown(() => texts(topic).at(-1) === "watch: word-fourth");

  // Another person in the topic speaks with it as a guest, and changes nothing.
  await scene.say("And word-guest?", { chatId: FORUM, threadId: topic, fromId: BOB });
  await scene.shown(() => texts(topic).at(-1) === "watch: word-guest");
  expect(asked(scene.model.requests.at(-1) as CapturedRequest)).toContain('\\"owner\\":false');
  await scene.say("/unfocus", { chatId: FORUM, threadId: topic, fromId: BOB });
  await scene.shown(() => texts(topic).at(-1)?.includes("Only my owner can do that here") === true);

  // The owner's own conversation is private: the forum does not reach it. The other way round is the owner's to choose.
  await scene.say("/focus agent:main:main", { chatId: FORUM });
  await scene.shown(() => texts().at(-1)?.includes("There is no such session within reach") === true);
  const newestOfOwner = (): string => telegram.sent.findLast(({ chatId }) => chatId === OWNER)?.text ?? "";
  await scene.say("/focus watch");
  await scene.shown(() => newestOfOwner().includes("What is said here goes to"));
  await scene.say("And word-direct?");
  await scene.shown((sent) => sent.filter(({ chatId }) => chatId === OWNER).at(-1)?.text === "watch: word-direct");
  await scene.killAndStart();
  await scene.say("/unfocus");
  await scene.shown(() => newestOfOwner() !== "watch: word-direct");
  await scene.say("And word-main?");
  await scene.shown((sent) => sent.filter(({ chatId }) => chatId === OWNER).at(-1)?.text === "main: word-main");

  await scene.say("/subagents kill watch", { chatId: FORUM });
  await scene.shown(() => texts(topic).at(-1)?.includes('The sub-agent "watch" has ended (killed)') === true);
  await scene.say("And word-last?", { chatId: FORUM, threadId: topic });
  await scene.shown(() => texts(topic).at(-1) === "main: word-last");
  for (const word of ["first", "second", "third", "fourth", "guest"])
    expect([word, texts(topic).filter((text) => text.endsWith(`watch: word-${word}`)).length]).toEqual([word, 1]);
  for (const word of ["first", "fourth"]) expect([word, texts().filter((text) => text === `told: word-${word}`).length]).toEqual([word, 1]);
});
