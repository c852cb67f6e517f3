import type { Mention } from "@factotum/channel-contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderText } from "./render-text.ts";

/** The text of the single `md` element, or of a plain message. */
function shown(markdown: string): { type: string; text: string } {
  const { msg_type: type, content } = renderText(markdown);
  const parsed = JSON.parse(content) as { text?: string; zh_cn?: { content: { tag: string; text: string }[][] } };
  const [[element] = []] = parsed.zh_cn?.content ?? [];
  return { type, text: parsed.text ?? element?.text ?? "" };
}
const post = (markdown: string): string => {
  const { type, text } = shown(markdown);
  expect(type).toBe("post");
  return text;
};

describe("plain text is sent as text", () => {
  test.each([
    "Hello.",
    "Two lines\nand one more\n\nand a paragraph",
    "See https://example.com/a_b?c=d&e=f",
    "5 > 3 & 2",
    "👍 好的！",
    "a  b",
    "snake_case_name",
  ])("%j", (text) => {
    expect(shown(text)).toEqual({ type: "text", text });
  });
});

describe("text with markup is sent as a post", () => {
  test.each([
    "**bold**",
    "`code`",
    "- one\n- two",
    "1. one",
    "> quote",
    "[a](https://b.c)",
    "```\ncode\n```",
    "a \\* b",
    "&amp;",
    "a < b",
    "---",
    "~~no~~",
  ])("%j, unchanged", (markdown) => {
    expect(post(markdown)).toBe(markdown);
  });
});

describe("unsupported markup is rewritten", () => {
  test.each([
    ["# Big\n\ntext", "#### Big\n\ntext"],
    ["## Small **b** #", "##### Small **b**"],
    ["Title\n=====\n\ntext", "#### Title\n\ntext"],
    ["![a cat](https://x.y/cat.png)", "[a cat](https://x.y/cat.png)"],
    ["[![a cat](https://x.y/cat.png)](https://x.y)", "[a cat](https://x.y)"],
    ["> see [the page][p]\n\n[p]: https://x.y/p", "> see [the page](https://x.y/p)"],
    ["- one\n\n  | a |\n  |---|\n- **two** ![i][p]\n\n[p]: https://x.y/p", "- one\n\n  | a |\n  |---|\n- **two** [i](https://x.y/p)"],
    ["# ![i](https://x.y/i.png)", "#### [i](https://x.y/i.png)"],
    ["- ![](https://x.y/i.png)", "- [image](https://x.y/i.png)"],
    ["> one ![i](https://x.y/i.png)\n> two", "> one [i](https://x.y/i.png)\n> two"],
    ["see [the page][p]\n\n[p]: https://x.y/p", "see [the page](https://x.y/p)"],
    ["| a | b |\n|---|---|\n| 1 | 2 |", "```\na | b\n--|--\n1 | 2\n```"],
    ["text\n\n    indented\n\ntext", "text\n\n```\nindented\n```\n\ntext"],
  ])("%j", (markdown, expected) => {
    expect(post(markdown)).toBe(expected);
  });

  test("code is unchanged", () => {
    const code = "```md\n# not a heading\n![not](an-image)\n| not | a |\n|---|---|\n```";
    expect(post(`Look:\n\n${code}`)).toBe(`Look:\n\n${code}`);
    expect(post("`![a](b)` and ![a](https://b)")).toBe("`![a](b)` and [a](https://b)");
  });
});

describe("mentioned people are notified", () => {
  const people: readonly Mention[] = [
    { id: "ou_bob", name: "Bob" },
    { id: "ou_bobby", name: "Bob Miller" },
    { id: "ou_zhang", name: "张三" },
  ];
  const rendered = (markdown: string, mentions = people): string => {
    const parsed = JSON.parse(renderText(markdown, mentions).content) as { text?: string; zh_cn?: { content: { text: string }[][] } };
    return parsed.text ?? parsed.zh_cn?.content[0]?.[0]?.text ?? "";
  };

  test.each([
    ["Ask @Bob, please", 'Ask <at user_id="ou_bob">Bob</at>, please'],
    ["**Ask** @Bob Miller", '**Ask** <at user_id="ou_bobby">Bob Miller</at>'],
    ["@张三请看 @Bob", '<at user_id="ou_zhang">张三</at>请看 <at user_id="ou_bob">Bob</at>'],
    ["- @Bob\n- *@Bob*", '- <at user_id="ou_bob">Bob</at>\n- *<at user_id="ou_bob">Bob</at>*'],
    ["# Hi @Bob", '#### Hi <at user_id="ou_bob">Bob</at>'],
  ])("%j", (markdown, expected) => {
    expect(rendered(markdown)).toBe(expected);
  });

  test.each(["mail a@Bob", "@Bobby", "`@Bob`", "```\n@Bob\n```", "[@Bob](https://x.y)", "Bob", "@Carol"])(
    "%j notifies nobody",
    (markdown) => {
      expect(rendered(markdown)).toBe(markdown);
    },
  );

  test("everyone cannot be mentioned, by whatever name or id", () => {
    const mentions = [
      { id: "all", name: "all" },
      { name: "everyone" },
      { id: 'ou_x"></at><at user_id="all', name: "Eve" },
      { id: "ou_eve", name: '"><at user_id="all">' },
    ];
    expect(rendered('@all @everyone @Eve @"><at user_id="all">', mentions)).not.toMatch(/<at [^>]*all/);
  });

  test("a text cannot contain a placeholder of its own", () => {
    expect(rendered("\ue0000\ue001 **x**")).toBe("0 **x**");
  });
});

test("no text notifies anyone", () => {
  const tag = fc.constantFrom(
    '<at user_id="all">',
    "<AT user_id=all>",
    "</at>",
    "<at\nid='x'>",
    '\\<at user_id="all">',
    '<<at user_id="all">',
    '**<at user_id="all">**',
    '`<at user_id="all"></at>`',
  );
  const around = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("\n\n    ", "```\n", "> ", "# ", "[x]: "));
  fc.assert(
    fc.property(around, tag, around, (before, ring, after) => {
      expect(shown(before + ring + after).text).not.toMatch(/<\/?at\b/i);
    }),
  );
});

test("any text can be rendered, and no letter is lost or moved", () => {
  const piece = fc.oneof(
    fc.stringMatching(/^[A-Z]{1,8}$/),
    fc.constantFrom("# ", "- ", "> ", "\n", "\n\n", "**", "`", "|", "    ", "1. ", "[", "](", ")", "![", "\r\n"),
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 60 }), (pieces) => {
      const source = pieces.join("");
      // Compares letters, not words: the name of an image without an address remains next to its neighbours.
      const letters = (text: string): string => text.replaceAll(/[^A-Z]/g, "");
      if (source.trim() !== "" && !source.includes("]:")) expect(letters(shown(source).text)).toBe(letters(source));
    }),
    { numRuns: 2_000 },
  );
});

test("a text nested beyond reason is rendered all the same", () => {
  expect(post(`${"> ".repeat(3_000)}![a](https://b)`)).toMatch(/> \[a\]\(https:\/\/b\)$/);
});
