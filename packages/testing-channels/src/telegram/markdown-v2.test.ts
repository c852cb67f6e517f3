import { expect, test } from "vitest";
import { FakeTelegram } from "./fake-telegram.ts";
import { parseTelegramMarkdownV2 } from "./parse-markdown-v2.ts";

test.each([
  ["plain \\. text", "plain . text", []],
  ["*bold _both_*", "bold both", ["italic 5 4", "bold 0 9"]],
  ["__under__ ~gone~ ||hidden||", "under gone hidden", ["underline 0 5", "strikethrough 6 4", "spoiler 11 6"]],
  ["`a.b\\`c`", "a.b`c", ["code 0 5"]],
  ["```js\nlet a = 1;\n```", "let a = 1;", ["pre 0 10"]],
  ["[a *link*](http://x/\\)y)", "a link", ["bold 2 4", "text_link 0 6"]],
  [">one\n>two\nthree", "one\ntwo\nthree", ["blockquote 0 8"]],
])("MarkdownV2 %j shows %j", (source, text, entities) => {
  const parsed = parseTelegramMarkdownV2(source);
  expect(parsed.text).toBe(text);
  expect(parsed.entities.map(({ type, offset, length }) => `${type} ${offset} ${length}`)).toEqual(entities);
});

test.each(["a.b", "1) one", "- item", "*open", "`open", "]", "a > b", "# title"])("refuses %j", (source) => {
  expect(() => parseTelegramMarkdownV2(source)).toThrow("can't parse entities");
});

test("rich messages are shown as they were written, and unknown to an older server", async () => {
  await using telegram = await FakeTelegram.start();
  const call = async (method: string, body: object): Promise<number> => {
    const url = `${telegram.baseUrl}/bot${telegram.app.token}/${method}`;
    const headers = { "content-type": "application/json" };
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status;
  };
  const rich = (markdown: string): object => ({ chat_id: 1001, rich_message: { markdown } });
  expect(await call("sendRichMessage", rich("# One\n\n**two**"))).toBe(200);
  expect(telegram.sent[0]?.text).toBe("# One\n\n**two**");
  expect(await call("editMessageText", { ...rich("three"), message_id: telegram.sent[0]?.id })).toBe(200);
  expect(telegram.sent[0]?.text).toBe("three");
  expect(await call("sendRichMessage", rich("x".repeat(32_769)))).toBe(400);
  telegram.app.hasRichMessages = false;
  expect(await call("sendRichMessage", rich("four"))).toBe(404);
  expect(telegram.requests.at(-1)?.isChange).toBe(false);
});
