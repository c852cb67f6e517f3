import { expect, test } from "vitest";
import { markPerson } from "./mention-marks.ts";
import { parseMrkdwn } from "./parse-mrkdwn.ts";

test.each([
  ["a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"],
  ["*bold* _italic_ ~gone~ `code`", "**bold** _italic_ ~~gone~~ `code`"],
  ["2 * 3 * 4 and a*b*c", "2 * 3 * 4 and a*b*c"],
  ["`*not bold*` ```~raw~ &lt;b&gt;```", "`*not bold*` ```~raw~ <b>```"],
  ["<https://example.com/a_b_c?x=1&amp;y=2|a *link*>", "[a *link*](https://example.com/a_b_c?x=1&y=2)"],
  ["<https://example.com>", "https://example.com"],
  ["<mailto:a@example.com|a@example.com>", "mailto:a@example.com"],
  ["<#C012|general> <#C012>", "#general #C012"],
  ["<!here> <!channel> <!subteam^S1|@team>", "@here @channel @team"],
  ["<!date^1392734382^{date}|Feb 18, 2014>", "Feb 18, 2014"],
  ["> quoted\nnot", "> quoted\nnot"],
])("%s", (source, expected) => {
  expect(parseMrkdwn(source)).toBe(expected);
});

test("people are marked, and marks in the text are removed", () => {
  expect(parseMrkdwn("hi <@U1> \uE000U2\uE001 `<@U3>`")).toBe(`hi ${markPerson("U1")} U2 \`${markPerson("U3")}\``);
});
