import { expect, test } from "vitest";
import { parseBlocks } from "./parse-blocks.ts";

const rich = (...elements: object[]) => [{ type: "rich_text", elements }];
const section = (...elements: object[]) => ({ type: "rich_text_section", elements });
const text = (value: string, style?: object) => ({ type: "text", text: value, ...(style !== undefined && { style }) });

test.each<[string, readonly object[], string]>([
  ["plain text stays as it is", rich(section(text("*stars* <b> _x_"))), "*stars* <b> _x_"],
  [
    "styles surround the words",
    rich(section(text("a "), text("bold ", { bold: true }), text("both", { bold: true, italic: true }), text(" c", { code: true }))),
    "a **bold** **_both_** `c`",
  ],
  [
    "links",
    rich(section({ type: "link", url: "https://a.example" }, text(" "), { type: "link", url: "https://b.example", text: "b" })),
    "https://a.example [b](https://b.example)",
  ],
  [
    "lists, nested",
    rich(
      section(text("Do:\n")),
      { type: "rich_text_list", style: "ordered", indent: 0, elements: [section(text("one")), section(text("two"))] },
      { type: "rich_text_list", style: "bullet", indent: 1, elements: [section(text("deep"))] },
      section(text("done")),
    ),
    "Do:\n\n1. one\n2. two\n  - deep\n\ndone",
  ],
  [
    "code and quotes",
    rich({ type: "rich_text_preformatted", elements: [text("a < b\n*c*")] }, { type: "rich_text_quote", elements: [text("x\ny")] }),
    "```\na < b\n*c*\n```\n\n> x\n> y",
  ],
  [
    "emoji, channels, broadcasts",
    rich(
      section(
        { type: "emoji", name: "thumbsup", unicode: "1f44d" },
        { type: "emoji", name: "shipit" },
        { type: "channel", channel_id: "C1" },
        { type: "broadcast", range: "here" },
      ),
    ),
    "👍:shipit:#C1@here",
  ],
  [
    "blocks of integrations",
    [
      { type: "header", text: { type: "plain_text", text: "Build" } },
      { type: "section", text: { type: "mrkdwn", text: "*failed* &amp; stopped" }, fields: [{ type: "plain_text", text: "main" }] },
      {
        type: "context",
        elements: [
          { type: "mrkdwn", text: "now" },
          { type: "image", image_url: "x", alt_text: "y" },
        ],
      },
      { type: "divider" },
      { type: "image", alt_text: "a chart" },
    ],
    "**Build**\n\n**failed** & stopped\nmain\n\nnow\n\n[image: a chart]",
  ],
])("%s", (_, blocks, expected) => {
  expect(parseBlocks(blocks)).toBe(expected);
});

test("blocks of other forms are skipped", () => {
  expect(
    parseBlocks([null, 1, { type: "rich_text", elements: [{ nothing: true }] }, { type: "rich_text", elements: "x" }]),
  ).toBeUndefined();
});
