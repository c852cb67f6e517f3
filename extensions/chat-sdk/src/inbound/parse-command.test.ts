import { telegramMessageUpdate } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { ALICE, FORUM, startScene } from "../../test/scene.ts";

/** What becomes of a message whose beginning the platform marks as a command. */
async function read(text: string, chatId: number): Promise<readonly unknown[]> {
  await using scene = await startScene();
  const message = scene.telegram.addMessage({ chatId, fromId: ALICE, text });
  const [typed = ""] = /^\/[\w@]+/.exec(text) ?? [];
  const entities = [{ type: "bot_command", offset: 0, length: typed.length }];
  expect(await scene.post(telegramMessageUpdate(scene.telegram, message, { entities }))).toBe(200);
  const [received] = scene.host.stored;
  expect(received?.messageId).toBe(`${chatId}:${message.id}`);
  expect(received?.text).toBe(text);
  return [received?.command?.name, received?.command?.argumentsText, received?.mentionsBot];
}

test.each([
  ["/think high", ALICE, ["think", "high", true]],
  ["/start payload", ALICE, ["help", "", true]],
  ["/unknown x", ALICE, ["unknown", "x", true]],
  ["/etc/passwd is a file", ALICE, [undefined, undefined, false]],
  ["/input-7", ALICE, [undefined, undefined, false]],
  ["/think high", FORUM, ["think", "high", true]],
  ["/think@factotum_bot high", FORUM, ["think", "high", true]],
  ["/roll 2", FORUM, [undefined, undefined, false]],
  ["/roll@factotum_bot 2", FORUM, ["roll", "2", true]],
])("%s in %i is %j", async (text, chatId, expected) => {
  expect(await read(text, chatId)).toEqual(expected);
});
