import { describe, expect, test } from "vitest";
import { asteriskMarkup, controlCodes, htmlDocument, htmlSubset, markdownMarkup, plainText, renderMarkdown } from "../index.ts";
import type { Dialect } from "../index.ts";

/** The tables of platforms, as their extensions would make them. */
const telegram = htmlSubset();
const slack = asteriskMarkup({ links: "angle", mentions: /@(?=(?:here|channel|everyone)\b)/gi });
const whatsapp = asteriskMarkup({ links: "text" });
const discord = markdownMarkup({
  headings: 3,
  tables: "code",
  images: "link",
  fences: "three",
  addresses: "angle",
  mentions: /@(?=everyone|here)/g,
});
const irc = controlCodes();
const mail = htmlDocument();
const plain = plainText();

const render = (source: string, dialect: Dialect): string =>
  renderMarkdown(source, { dialect }).join("\n=====\n").replaceAll("\u200b", "·");

describe("inline markup", () => {
  const source = "**bold *both*** ~~gone~~ `a|b` [text](https://x.y/?a=b&c) https://x.y/z ![alt](https://x.y/i.png) <b>";
  test.each<[string, Dialect, string]>([
    [
      "telegram",
      telegram,
      '<b>bold <i>both</i></b> <s>gone</s> <code>a|b</code> <a href="https://x.y/?a=b&amp;c">text</a> <a href="https://x.y/z">https://x.y/z</a> <a href="https://x.y/i.png">alt</a> &lt;b&gt;',
    ],
    [
      "slack",
      slack,
      "*bold _both_* ~gone~ `a|b` <https://x.y/?a=b&amp;c|text> <https://x.y/z|https://x.y/z> <https://x.y/i.png|alt> &lt;b&gt;",
    ],
    ["whatsapp", whatsapp, "*bold _both_* ~gone~ `a|b` text (https://x.y/?a=b&c) https://x.y/z alt (https://x.y/i.png) <b>"],
    ["discord", discord, "**bold *both*** ~~gone~~ `a|b` [text](https://x.y/?a=b&c) <https://x.y/z> [alt](https://x.y/i.png) \\<b>"],
    [
      "irc",
      irc,
      "\u0002bold \u001dboth\u001d\u0002 \u001egone\u001e \u0011a|b\u0011 text (https://x.y/?a=b&c) https://x.y/z alt (https://x.y/i.png) <b>",
    ],
    [
      "mail",
      mail,
      '<p><strong>bold <em>both</em></strong> <del>gone</del> <code>a|b</code> <a href="https://x.y/?a=b&amp;c">text</a> <a href="https://x.y/z">https://x.y/z</a> <a href="https://x.y/i.png">alt</a> &lt;b&gt;</p>',
    ],
    ["plain", plain, "bold both gone a|b text (https://x.y/?a=b&c) https://x.y/z alt (https://x.y/i.png) <b>"],
  ])("%s", (_, dialect, expected) => {
    expect(render(source, dialect)).toBe(expected);
  });
});

describe("blocks", () => {
  const source = "# Title\n\n> a\n>\n> b\n\n1. one\n   - sub\n   - [x] done\n2. two\n\n```ts\na < b\n\nc\n```\n\n---\n\nend";
  test.each<[string, Dialect, string]>([
    [
      "telegram",
      telegram,
      '<b>Title</b>\n\n<blockquote>a\n\nb</blockquote>\n\n1. one\n   • sub\n   ☑ done\n2. two\n\n<pre><code class="language-ts">a &lt; b\n\nc</code></pre>\n\n———\n\nend',
    ],
    ["slack", slack, "*Title*\n\n> a\n>\n> b\n\n1. one\n   • sub\n   ☑ done\n2. two\n\n```\na &lt; b\n\nc\n```\n\n———\n\nend"],
    ["discord", discord, "# Title\n\n> a\n>\n> b\n\n1. one\n   - sub\n   - [x] done\n2. two\n\n```ts\na < b\n\nc\n```\n\n***\n\nend"],
    [
      "mail",
      mail,
      '<h1>Title</h1>\n<blockquote><p>a</p>\n<p>b</p></blockquote>\n<ol><li>one\n<ul><li>sub</li>\n<li>☑ done</li></ul></li>\n<li>two</li></ol>\n<pre><code class="language-ts">a &lt; b\n\nc</code></pre>\n<hr>\n<p>end</p>',
    ],
    ["plain", plain, "Title\n\n> a\n>\n> b\n\n1. one\n   - sub\n   ☑ done\n2. two\n\na < b\n\nc\n\n----------\n\nend"],
  ])("%s", (_, dialect, expected) => {
    expect(render(source, dialect)).toBe(expected);
  });

  test("a network with one line a message gets the lines, without empty ones", () => {
    expect(renderMarkdown(source, { dialect: irc, maxLines: 1 })).toEqual([
      "\u0002Title\u0002",
      "> a",
      "> b",
      "1. one",
      "   - sub",
      "   ☑ done",
      "2. two",
      "\u0011a < b\u0011",
      "\u0011c\u0011",
      "----------",
      "end",
    ]);
  });

  test("code in a list or a quote keeps its own indent", () => {
    expect(render("- a\n\n  ```\n  b\n    c\n  ```", slack)).toBe("• a\n\n```\nb\n  c\n```");
    expect(render("> a\n>\n> ```\n> b\n> ```", discord)).toBe("> a\n>\n> ```\n> b\n> ```");
  });
});

describe("tables", () => {
  const source = "| a | bb |\n|:--|---:|\n| **x** | 1 |\n| 好的 | `y` |";
  test("are aligned text where the dialect has none", () => {
    expect(render(source, slack)).toBe("```\na    | bb\n-----|---\nx    |  1\n好的 |  y\n```");
  });
  test("are tables where it has", () => {
    expect(render("| a | b |\n|:-:|--:|\n| **x** | `y\\|z` |\n| 1 | |", markdownMarkup())).toBe(
      "| a | b |\n| :-: | --: |\n| **x** | `y\\|z` |\n| 1 |  |",
    );
    expect(render("| a | b |\n|:-:|---|\n| **x** | |", mail)).toBe(
      '<table><tr><th align="center">a</th><th>b</th></tr>\n<tr><td align="center"><strong>x</strong></td><td></td></tr></table>',
    );
  });
});

describe("what would notify people or run is text", () => {
  test.each<[string, Dialect, string, string]>([
    ["broadcast", slack, "@channel @Here @here_x", "@·channel @·Here @here_x"],
    ["broadcast in a link, code and heading", slack, "# @**channel** `@here`", "*@·channel `@·here`*"],
    ["platform mention", slack, "<!here> <@U123> <#C1|x>", "&lt;!here&gt; &lt;@U123&gt; &lt;#C1|x&gt;"],
    ["discord", discord, "@everyone <@1> <@&2> <#3> <t:4>", "@·everyone \\<@1> \\<@&2> \\<#3> \\<t:4>"],
    ["address of a person", telegram, "[you](tg://user?id=1)", "you (tg://user?id=1)"],
    ["script", mail, "[x](javascript:alert(1)) <script>", "<p>x (javascript:alert(1)) &lt;script&gt;</p>"],
    ["attribute", telegram, '[x](https://x.y/"onclick=")', '<a href="https://x.y/&quot;onclick=&quot;">x</a>'],
    ["address with markup", slack, "[x](https://x.y/<!here>|a)", "<https://x.y/%3C!here%3E%7Ca|x>"],
    ["control characters", irc, "a\u0003b\u0007c\u001b[0m&#2;", "abc[0m\ufffd"],
  ])("%s", (_, dialect, source, expected) => {
    expect(render(source, dialect)).toBe(expected);
  });
});

describe("styles at the edges of words", () => {
  test("white space moves out of a style, and an empty one is dropped", () => {
    expect(render("c **&nbsp;a&nbsp;** b", telegram)).toBe("c \u00a0<b>a</b>\u00a0 b");
    expect(render("a ![](https://x.y) [](https://x.y)", telegram)).toBe('a <a href="https://x.y">image</a>');
  });
  test("delimiters inside a word are set apart where they would not work", () => {
    expect(render("a**b**c", slack)).toBe("a·*b*·c");
    expect(render("**注意：**请 `x`", slack)).toBe("*注意：*·请 `x`");
    expect(render("**注意：**请", discord)).toBe("**注意：·**请");
  });
  test("a style that a literal delimiter or white space ends is left out where its own would be shown", () => {
    expect(render("**\\*a** _b\\__ ~~c~~ ` d ` `` `e ``", slack)).toBe("*·a b·_ ~c~ `d` `·e");
    expect(render("**a\nb \\*** **c\nd**", slack)).toBe("a\nb * *c*\n*d*");
  });
  test("a heading is one line, and a rule in a list is not one of its items", () => {
    expect(render("a *b\nc*\n===", discord)).toBe("# a *b c*");
    expect(render("- a\n- * * *", discord)).toBe("- a\n- ***");
  });
  test("literal delimiters stay where they cannot work", () => {
    expect(render("snake\\_case 2 \\* 3 \\*x\\*", slack)).toBe("snake_case 2 * 3 *·x·*");
    expect(render("snake\\_case 2 \\* 3 \\*x\\* a < b AT&T", discord)).toBe("snake_case 2 * 3 \\*x\\* a < b AT&T");
  });
  test("code has no other style around it where the platform allows none", () => {
    expect(render("**a `b` c**", telegram)).toBe("<b>a</b> <code>b</code> <b>c</b>");
  });
});

describe("splitting", () => {
  const cut = (source: string, dialect: Dialect, maxLength: number): string[] => renderMarkdown(source, { dialect, maxLength });

  test("prefers paragraphs, then lines, sentences and words", () => {
    expect(cut(`${"a".repeat(20)}\n\n${"b".repeat(20)}`, plain, 32)).toEqual(["a".repeat(20), "b".repeat(20)]);
    expect(cut("one two three four. five six seven eight", plain, 32)).toEqual(["one two three four.", "five six seven eight"]);
    expect(cut("a".repeat(70), plain, 32)).toEqual(["a".repeat(32), "a".repeat(32), "a".repeat(6)]);
  });

  test("closes styles and code, and opens them again", () => {
    expect(cut("**one two three four five six seven eight**", telegram, 32)).toEqual([
      "<b>one two three four five six</b>",
      "<b>seven eight</b>",
    ]);
    expect(cut("```ts\nlet first = 1;\nlet second = 2;\n```", discord, 32)).toEqual([
      "```ts\nlet first = 1;\n```",
      "```ts\nlet second = 2;\n```",
    ]);
  });

  test("a backslash before the cut does not escape the markup that ends the message", () => {
    const text = `${"word ".repeat(8)}a\\ ${"b".repeat(40)}`;
    expect(cut(`**${text}**`, discord, 64)[0]).toMatch(/ a\\\\\*\*$/);
    expect(cut(`[${text}](https://x.y)`, discord, 72)[0]).toMatch(/ a\\\\\]\(https:\/\/x\.y\)$/);
  });

  test("limits may count the text without its markup", () => {
    expect(cut(`**${"a".repeat(32)}**`, telegram, 32)).toEqual([`<b>${"a".repeat(32)}</b>`]);
    expect(cut("&".repeat(33), telegram, 32)).toEqual(["&amp;".repeat(32), "&amp;"]);
  });

  test("counts entities, and cuts none", () => {
    expect(cut("<".repeat(20), slack, 32)).toEqual(["&lt;".repeat(8), "&lt;".repeat(8), "&lt;".repeat(4)]);
  });

  test("cuts no grapheme, and counts in its unit", () => {
    const family = "👨‍👩‍👧‍👦";
    expect(cut(family.repeat(4), plain, 32)).toEqual([family.repeat(2), family.repeat(2)]);
    expect(renderMarkdown("好".repeat(20), { dialect: plain, maxLength: 32, unit: "bytes" })).toEqual(["好".repeat(10), "好".repeat(10)]);
  });

  test("an address longer than the limit stands behind its text", () => {
    expect(cut(`[a](https://x.y/${"z".repeat(40)})`, slack, 64)).toEqual([`a (https://x.y/${"z".repeat(40)})`]);
  });

  test("nothing to show is no message; limits have a minimum", () => {
    expect(cut(" \n\n<!-- a -->\n\n   <!-- b -->\n", plain, 32)).toEqual([]);
    for (const blank of ["```\n```", "```ts\n\n  \n```", "` `"])
      for (const dialect of [plain, slack, discord, htmlSubset(), htmlDocument(), controlCodes()])
        expect(cut(blank, dialect, 32)).toEqual([]);
    expect(() => cut("a", plain, 31)).toThrow(RangeError);
    expect(() => renderMarkdown("a", { dialect: plain, maxLines: 0 })).toThrow(RangeError);
  });
});

describe("long inputs", () => {
  const shapes: Readonly<Record<string, string>> = {
    words: "word ",
    "one word": "x",
    paragraphs: "a **b** c\n\n",
    "closing brackets": "] ",
    pairs: "[a] ",
    "quotes that go on": "> a\nb\n",
    quotes: "> ",
    items: "- ",
    stars: "*a **b ",
    code: "```\na]\n```\n\n",
    family: "👨‍👩‍👧‍👦",
    marks: "\u0301",
    "long line": "好的，",
  };

  // A busy machine can spoil a measurement, but not four.
  test.each(Object.entries(shapes))("%s take time in proportion", { retry: 3 }, (_, unit) => {
    const timeOf = (length: number): number => {
      const source = unit.repeat(Math.ceil(length / unit.length));
      const before = process.cpuUsage();
      renderMarkdown(source, { dialect: discord, maxLength: 2_000 });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    timeOf(10_000);
    // Six times the text in less than eighteen times the time; a square would be 36.
    expect(timeOf(60_000)).toBeLessThan(18 * Math.max(timeOf(10_000), 20));
  });
});
