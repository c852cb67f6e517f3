import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SendReceipt } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

const WRONG_SECRET: SendReceipt = { type: "rejected", code: "unauthorized", retry: { type: "never" }, message: "app secret invalid" };
const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;

/** What a chat is told when it takes messages again, after so many answers have run out of time. */
async function toldOf(count: number, answer: (index: number) => string): Promise<string> {
  await using server = await startAnthropicServer();
  server.respond(({ index }) => textReply(index < count ? answer(index) : "Here I am."));
  const platform = new TestPlatform();
  platform.answer = () => WRONG_SECRET;
  const patch = withModel(server.baseUrl);
  const first = await startTestGateway({ platform, patch });
  for (let index = 0; index < count; index += 1) {
    await platform.say(platform.message(`question ${index}`));
    await expect.poll(async () => (await first.gateway.status()).outbox.blocked).toMatchObject([{ waiting: index + 1 }]);
  }
  await first.stop();
  const database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  expect(database.prepare("UPDATE outbox SET expires_at = 1 WHERE state IN ('waiting', 'sending')").run().changes).toBe(count);
  database.close();

  await using second = await startTestGateway({ platform, home: first.home, patch });
  await expect.poll(async () => (await second.gateway.status()).outbox).toMatchObject({ waiting: 0, deadLettered: count });
  platform.answer = () => undefined;
  await platform.say(platform.message("are you there?"));
  await platform.waitForSends(2);
  const told = platform.sent[1]?.outbound;
  return told?.type === "text" ? told.text : "";
}

test("one message that ran out of time is quoted in one line, cut", async () => {
  const told = await toldOf(1, () => `The answer\n\n${"is long ".repeat(20)}`);
  const [intro, quote = "", outro] = told.split("\n");
  expect(intro).toBe("I could not send here for a while, and a message of mine ran out of time:");
  expect(quote).toMatch(new RegExp(`^- ${TIME}: The answer is long is long .*…$`));
  expect(quote.length).toBeLessThanOrEqual("- 2026-01-01 00:00 UTC: ".length + 80);
  expect(outro).toBe("Please ask again if you still need it.");
});

test("of many messages the oldest five are quoted, and the others counted", async () => {
  const told = await toldOf(7, (index) => `Answer ${index}.`);
  expect(told.replaceAll(new RegExp(TIME, "g"), "TIME").split("\n")).toEqual([
    "I could not send here for a while, and 7 messages of mine ran out of time:",
    ...[0, 1, 2, 3, 4].map((index) => `- TIME: Answer ${index}.`),
    "- and 2 more",
    "Please ask again if you still need it.",
  ]);
});
