import { describe, expect, test } from "vitest";
import { MARKDOWN_CORPUS } from "./corpus.ts";
import type { DialectRules } from "./dialect-rules.ts";
import { DISCORD_MARKDOWN } from "./discord-rules.ts";
import { FEISHU_CARD, FEISHU_MESSAGE } from "./feishu-rules.ts";
import { MAIL_HTML } from "./mail-html.ts";
import { refusalOf } from "./markdown-faults.ts";
import { IRC_TEXT, PLAIN_TEXT } from "./plain-rules.ts";
import { SLACK_BODY, SLACK_MRKDWN } from "./slack-rules.ts";
import { TELEGRAM_HTML } from "./telegram-html.ts";

/** Refused everywhere: nothing to show, controls, half of a character. */
const UNUSABLE = [
  "",
  " \n\t",
  "\u200b",
  "a\u0000b",
  "bell\u0007",
  "\u001b[31mred\u001b[0m",
  "back\bspace",
  "\u0085next line",
  "half \ud83d",
  "\udc4d half",
];

const section = (text: unknown): object => ({ type: "section", text: { type: "mrkdwn", text } });
const slack = (body: object): string => JSON.stringify({ text: "shown in notifications", ...body });
const post = (content: unknown): string => JSON.stringify({ msg_type: "post", content: JSON.stringify({ zh_cn: { content } }) });
const md = (text: string): string => post([[{ tag: "md", text }]]);
const feishu = (type: string, content: unknown): string => JSON.stringify({ msg_type: type, content: JSON.stringify(content) });
const card = (elements: unknown, more: object = {}): string => JSON.stringify({ schema: "2.0", body: { elements }, ...more });
const markdown = (content: unknown): object => ({ tag: "markdown", content });
const button = (more: object): object => ({ tag: "button", text: { tag: "plain_text", content: "Yes" }, ...more });

interface Case {
  readonly rules: DialectRules;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

const CASES: readonly Case[] = [
  {
    rules: TELEGRAM_HTML,
    accepted: [
      "plain",
      '<b>bold <i>both</i></b> <s>x</s> <code>a &lt; b</code> <a href="https://x.y/?a=b&amp;c">x</a> &quot;',
      '<pre><code class="language-ts">a</code></pre>\n<blockquote>q <b>b</b></blockquote><tg-spoiler>s</tg-spoiler>',
      `<b>${"x".repeat(4096)}</b>`,
    ],
    refused: [
      ...UNUSABLE,
      "<pre></pre>",
      "a < b",
      "a > b",
      "AT&T",
      "&nbsp;",
      "&#65;",
      "<b>open",
      "closed</b>",
      "<b><i>crossed</b></i>",
      "<p>paragraph</p>",
      "a<br>b",
      "<h1>heading</h1>",
      "<ul><li>item</li></ul>",
      '<b class="x">a</b>',
      "<a>no address</a>",
      '<a href="javascript:alert(1)">a</a>',
      '<a href="tg://user?id=all">a</a>',
      '<a href="https://x.y"><a href="https://x.y">a</a></a>',
      "<code><b>bold in code</b></code>",
      "<b><code>code in bold</code></b>",
      "<b><pre>block in bold</pre></b>",
      "<blockquote><blockquote>nested</blockquote></blockquote>",
      '<code class="language-ts">outside of pre</code>',
      '<pre><code class="language-&lt;">a</code></pre>',
      "x".repeat(4097),
      "<script>alert(1)</script>",
    ],
  },
  {
    rules: MAIL_HTML,
    accepted: [
      "<p>a <strong>b <em>c</em></strong> <br>\n<code>d</code></p>\n<hr>",
      '<ol start="3"><li>a<ul><li><p>b</p></li></ul></li></ol>',
      '<table><tr><th align="left">a</th></tr><tr><td></td></tr></table>',
      '<pre><code class="language-c++">a &lt; b</code></pre><blockquote><h2>q</h2></blockquote><a href="mailto:a@b.c">a</a>',
    ],
    refused: [
      ...UNUSABLE.filter((text) => text.trim() !== "" && text !== "\u200b"),
      "<p>open",
      "closed</p>",
      "<p><em>crossed</p></em>",
      "<p><p>paragraph in one</p></p>",
      "<p><ul><li>a</li></ul></p>",
      "<ul>text</ul>",
      "<ul><p>a</p></ul>",
      "<li>outside of a list</li>",
      "<table><td>a</td></table>",
      "<table>text</table>",
      "<tr><td>outside of a table</td></tr>",
      "<em><p>block in a style</p></em>",
      "<pre>without code</pre>",
      "<p>a < b</p>",
      "<p>AT&T</p>",
      "<p>&nbsp;</p>",
      '<img src="https://x.y/i.png">',
      "<script>alert(1)</script>",
      "<style>p { color: red }</style>",
      '<p style="color: red">a</p>',
      '<p onclick="x()">a</p>',
      '<a href="javascript:alert(1)">a</a>',
      '<a href="/relative">a</a>',
      '<a href="https://x.y"><a href="https://x.y">a</a></a>',
      '<ol start="x"><li>a</li></ol>',
      '<td align="left">a</td>',
      '<table><tr><td align="justify">a</td></tr></table>',
      "<!-- comment --> a",
    ],
  },
  {
    rules: SLACK_MRKDWN,
    accepted: [
      "*bold* _i_ ~s~ `c` &lt;b&gt; AT&amp;T",
      "<https://x.y|text> <mailto:a@b.c|a> <@U123> <#C123>",
      "> quote\n```\na &lt; b\n```",
      "@\u200bhere",
    ],
    refused: [
      ...UNUSABLE,
      "a < b",
      "a > b",
      "AT&T",
      "&quot;",
      "&#65;",
      "<!channel>",
      "<!here|here>",
      "<!everyone>",
      "<!subteam^S123>",
      "<!date^1^{date}|now>",
      "@channel",
      "hello @Here",
      "@everyone!",
      "<javascript:alert(1)|a>",
      "</relative|a>",
      "<https://x.y|a|b>",
      "<https://x.y| >",
      "<https://x y|a>",
      "<>",
      "<https://x.y|open",
      "```\nunclosed",
      "x".repeat(40_001),
    ],
  },
  {
    rules: SLACK_BODY,
    accepted: [
      JSON.stringify({ text: "*a*" }),
      slack({ blocks: [section("*a*"), { type: "divider" }, { type: "header", text: { type: "plain_text", text: "t" } }] }),
    ],
    refused: [
      "",
      "{",
      JSON.stringify({ text: "" }),
      JSON.stringify({ text: "a < b" }),
      JSON.stringify({ text: "<!channel>" }),
      JSON.stringify({ text: "x".repeat(4_001) }),
      slack({ blocks: "none" }),
      slack({ blocks: [section("")] }),
      slack({ blocks: [section(5)] }),
      slack({ blocks: [section("x".repeat(3_001))] }),
      slack({ blocks: [section("AT&T")] }),
      slack({ blocks: [section("@everyone")] }),
      slack({ blocks: [section("a\u0007")] }),
      slack({ blocks: [section("```\nopen")] }),
      slack({ blocks: Array.from({ length: 51 }, () => section("a")) }),
      slack({ blocks: [{ type: "section", fields: Array.from({ length: 11 }, () => ({ type: "mrkdwn", text: "a" })) }] }),
      slack({ blocks: [{ type: "section", fields: [{ type: "mrkdwn", text: "x".repeat(2_001) }] }] }),
      slack({ blocks: [{ type: "header", text: { type: "plain_text", text: "x".repeat(151) } }] }),
      slack({ blocks: [{ type: "header", text: { type: "plain_text", text: "" } }] }),
      slack({ blocks: [{ type: "actions", elements: [] }] }),
      slack({ blocks: [{ type: "actions", elements: [{ type: "button", action_id: "a", text: { text: "x".repeat(76) } }] }] }),
      slack({ blocks: [{ type: "actions", elements: [1, 2].map(() => ({ type: "button", action_id: "a", text: { text: "b" } })) }] }),
      slack({ blocks: [{ type: "unknown" }] }),
      slack({ blocks: [{ type: "input", label: { text: "" } }] }),
    ],
  },
  {
    rules: DISCORD_MARKDOWN,
    accepted: [
      "**b** *i* ~~s~~ `c` [t](https://x.y) <https://x.y> \\<@1>",
      "### h\n> q\n- a\n- ```\n  c\n  ```",
      "@\u200beveryone `@here`",
      "x".repeat(2_000),
    ],
    refused: [
      ...UNUSABLE,
      "x".repeat(2_001),
      "@everyone",
      "hello @here",
      "<@1>",
      "<@!1>",
      "<@&1>",
      "<#1>",
      "<:name:1>",
      "<a:name:1>",
      "<t:1618953630:R>",
      "</cmd:1>",
      "<id:customize>",
      "```\nunclosed",
      "```\na\n```\n```ts\nb",
      "#### fourth level",
      "| a |\n| --- |\n| b |",
      "![a](https://x.y/i.png)",
      "-# small",
      "||spoiler||",
      "[a](javascript:alert(1))",
      "[a](tg://user?id=1)",
    ],
  },
  {
    rules: FEISHU_MESSAGE,
    accepted: [feishu("text", { text: "a < b & c" }), md("**b** [t](https://x.y)\n#### h"), md("`<b>` ```\n# x\n```")],
    refused: [
      "",
      "{",
      JSON.stringify({ msg_type: "text" }),
      JSON.stringify({ msg_type: "text", content: "not json" }),
      JSON.stringify({ content: "{}" }),
      JSON.stringify({ msg_type: "letter", content: "{}" }),
      feishu("image", { image_key: "img_1" }),
      feishu("text", {}),
      feishu("text", { text: "" }),
      feishu("text", { text: " \n" }),
      feishu("text", { text: "a\u0007" }),
      feishu("text", { text: "half \ud83d" }),
      feishu("text", { text: '<at user_id="all"></at>' }),
      feishu("text", { text: "x".repeat(150 * 1024) }),
      feishu("post", {}),
      feishu("post", { zh_cn: { content: [] } }),
      feishu("post", { german: { content: [[{ tag: "md", text: "a" }]] } }),
      post([{ tag: "md", text: "a" }]),
      post([[{ tag: "markdown", text: "a" }]]),
      post([[{ tag: "md", text: "" }]]),
      post([
        [
          { tag: "md", text: "a" },
          { tag: "md", text: "b" },
        ],
      ]),
      md("![a](https://x.y/i.png)"),
      md("# large"),
      md("a\n### still large"),
      md('<at user_id="ou_1"></at>'),
      md("a\u0000"),
      md("x".repeat(31 * 1024)),
    ],
  },
  {
    rules: FEISHU_CARD,
    accepted: [
      card([markdown("**a**")]),
      card([markdown("a"), { tag: "hr" }, button({ type: "primary" })], { header: { title: { content: "t" } } }),
    ],
    refused: [
      "",
      "{",
      JSON.stringify({ body: { elements: [markdown("a")] } }),
      JSON.stringify({ schema: "1.0", body: { elements: [markdown("a")] } }),
      JSON.stringify({ schema: "2.0", body: {} }),
      card({}),
      card([markdown("")]),
      card([markdown(5)]),
      card([{ tag: "markdown" }]),
      card([markdown(" \n ")]),
      card([markdown("a\u0007")]),
      card([markdown("half \ud83d")]),
      card([markdown("![a](https://x.y/i.png)")]),
      card([markdown("# large")]),
      card([markdown("<at id=all></at>")]),
      card([markdown("a"), { tag: "iframe" }]),
      card([markdown("a"), button({ text: { tag: "plain_text", content: "" } })]),
      card([markdown("a"), button({ text: { tag: "plain_text", content: "x".repeat(101) } })]),
      card([markdown("a"), button({ text: { tag: "lark_md", content: "a" } })]),
      card([markdown("a"), button({ type: "loud" })]),
      card([markdown("a"), button({ behaviors: [{ type: "callback", value: "text" }] })]),
      card([markdown("a"), { tag: "form", elements: [] }]),
      card([markdown("a"), { tag: "form", name: "f", elements: [] }]),
      card([{ tag: "column_set", columns: [{ tag: "column", elements: [{ tag: "form", name: "f", elements: [] }] }] }]),
      card([markdown("a"), { tag: "input", name: "x" }, { tag: "input", name: "x" }]),
      card(Array.from({ length: 201 }, () => markdown("a"))),
    ],
  },
  {
    rules: IRC_TEXT,
    accepted: ["plain", "\u0002bold\u0002 \u001di\u001d \u001es\u001e \u0011c\u0011", "x".repeat(400), "tab\tbed"],
    refused: [
      ...UNUSABLE.filter((text) => text !== " \n\t"),
      "two\nlines",
      "two\rlines",
      "\r\n",
      "\u0001VERSION\u0001",
      "\u0001ACTION waves\u0001",
      "a\u0001b",
      "\u0002open",
      "\u001dopen",
      "\u001eopen",
      "\u0011open",
      "\u0002\u001dcrossed\u0002",
      "\u0002\u0002",
      "\u0011 \u0011",
      "\u000304red",
      "\u000f reset",
      "\u0016reverse\u0016",
      "\u001funderlined\u001f",
      "x".repeat(401),
      "é".repeat(201),
    ],
  },
  {
    rules: PLAIN_TEXT,
    accepted: ["plain", "- a\n\n> b\ttab", "a < b & c > d ** ` _"],
    refused: [
      ...UNUSABLE,
      "\nat the start",
      "at the end\n",
      "carriage\rreturn",
      "line\r\nend",
      "form\ffeed",
      "vertical\u000btab",
      "\u0001start",
      "\u0002bold\u0002",
      "\u007fdelete",
      "\u009bcontrol",
      "a\ue000b",
      "\ue001",
    ],
  },
];

describe.each(CASES)("$rules.name", ({ rules, accepted, refused }) => {
  test.each(accepted)("accepts %j", (message) => {
    expect(refusalOf(rules, message)).toBeUndefined();
  });

  test("has at least 20 refused examples", () => {
    expect(new Set(refused).size).toBeGreaterThanOrEqual(20);
  });

  test.each(refused)("refuses %j", (message) => {
    expect(refusalOf(rules, message)).toEqual(expect.any(String));
  });
});

test("the corpus has the specification's examples, and more than 80 of our own", () => {
  const ours = MARKDOWN_CORPUS.filter(({ html }) => html === undefined);
  expect(MARKDOWN_CORPUS.length - ours.length).toBeGreaterThan(640);
  expect(ours.length).toBeGreaterThan(80);
  expect(new Set(MARKDOWN_CORPUS.map(({ name }) => name)).size).toBe(MARKDOWN_CORPUS.length);
});
