import { expect, test } from "vitest";
import { renderMrkdwn, renderStreamPart, renderText } from "./render-text.ts";

test.each([
  ["**bold** *soft* ~~gone~~ [a](https://x.example/?a=1&b=2)", "*bold* _soft_ ~gone~ <https://x.example/?a=1&amp;b=2|a>"],
  ["# Title\n\n- one\n- two", "*Title*\n\n• one\n• two"],
  ["a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"],
  ["<!channel> <@U1>", "&lt;!channel&gt; &lt;@U1&gt;"],
])("%s", (markdown, expected) => {
  expect(renderMrkdwn(markdown)).toEqual([expected]);
});

test.each(["@channel", "@here", "look @everyone!"])("%s notifies nobody", (text) => {
  expect(renderMrkdwn(text).join("")).not.toMatch(/@(?:channel|here|everyone)/);
});

test("people are notified where the text names them, outside code, the longest name first", () => {
  const mentions = [{ id: "U1", name: "Ann" }, { id: "U2", name: "Ann Lee" }, { name: "Bob" }, { id: "B3", name: "Bot" }];
  expect(renderMrkdwn("@Ann, @Ann Lee, @Bob and @Bot: `@Ann`", { mentions })).toEqual(["<@U1>, <@U2>, @Bob and @Bot: `@Ann`"]);
  expect(renderMrkdwn("@Annabel, bob@Ann and https://x.example/@Ann", { mentions })).toEqual([
    "@Annabel, bob@Ann and <https://x.example/@Ann|https://x.example/@Ann>",
  ]);
});

test("a text that becomes long is sent as sections, complete", () => {
  const body = renderText("& ".repeat(1_990).trim());
  expect(body?.blocks).toHaveLength(4);
  const shown = ((body?.blocks ?? []) as { text: { text: string } }[]).map(({ text }) => text.text);
  expect(Math.max(...shown.map(({ length }) => length))).toBeLessThanOrEqual(3_000);
  expect(shown.join(" ").match(/&amp;/g)).toHaveLength(1_990);
});

test("a text that shows nothing gives no message", () => {
  expect(renderText("<!-- -->")).toBeUndefined();
});

test.each([
  ["<!channel> now", "", "<\u200B!channel> now"],
  ["!here> now", "text <", "\u200B!here> now"],
  ["nel now", "look @chan", "\u200Bnel now"],
  ["ordinary text, a < b, me@here.example? no: @heremarks", "", "ordinary text, a < b, me@\u200Bhere.example? no: @\u200Bheremarks"],
  ["more", "before @channel ", "more"],
])("a part of a stream: %j after %j", (added, before, expected) => {
  expect(renderStreamPart(added, before)).toBe(expected);
});
