import { describe, expect, test } from "vitest";
import { flattenMarkdown } from "../index.ts";
import type { FlattenOptions, Piece } from "../index.ts";

/** Pieces in short: `<link text> |line| …`. */
function short(source: string, tables: FlattenOptions["tables"] = "native"): string {
  return flattenMarkdown(source, { tables }).map(shortPiece).join("");
}

function shortPiece(piece: Piece): string {
  switch (piece.type) {
    case "enter":
      return `<${piece.span.type} `;
    case "exit":
      return ">";
    case "text":
      return piece.text;
    case "break":
      return `|${piece.kind}|`;
    case "rule":
      return "|rule|";
  }
}

describe("blocks", () => {
  test("are parted by an empty line, those of a tight list by a line end", () => {
    expect(short("a\n\nb\nc")).toBe("<paragraph a>|paragraph|<paragraph b|line|c>");
    expect(short("- a\n  - b\n- c")).toBe("<list <item a|block|<list <item b>>>|block|<item c>>");
    expect(short("- a\n\n- b")).toBe("<list <item a>|paragraph|<item b>>");
  });
  test("lists say their numbers and tasks", () => {
    expect(
      flattenMarkdown("3. a\n4. [x] b", { tables: "native" }).flatMap((piece) => (piece.type === "enter" ? [piece.span] : [])),
    ).toEqual([
      { type: "list", start: 3 },
      { type: "item", level: 0, number: 3 },
      { type: "item", level: 0, number: 4, checked: true },
    ]);
  });
  test("code keeps every line and a harmless language", () => {
    expect(flattenMarkdown('```a<b"c\n x\n\ny\n```', { tables: "native" })).toEqual([
      { type: "enter", span: { type: "code-block", language: "abc", backticks: 0 } },
      { type: "text", text: " x" },
      { type: "break", kind: "line" },
      { type: "break", kind: "line" },
      { type: "text", text: "y" },
      { type: "exit" },
    ]);
  });
});

describe("text", () => {
  test("is never in two pieces side by side", () => {
    expect(flattenMarkdown("a <i>b &amp; \\* [^1]\n\n[^1]: c", { tables: "native" }).slice(1, 2)).toEqual([
      { type: "text", text: "a <i>b & * [1]" },
    ]);
  });
  test("has no control characters, and breaks where HTML breaks", () => {
    expect(short("a\u0007b\u009bc<br>d<!-- e -->f  \ng")).toBe("<paragraph abc|line|df|line|g>");
  });
});

describe("links", () => {
  test("are resolved, and only those that a message may have", () => {
    expect(short("[a][b] [c](/d) [e](javascript:f) [g](tg://user?id=1)\n\n[b]: https://x.y")).toBe(
      "<paragraph <link a> c (/d) e (javascript:f) g (tg://user?id=1)>|paragraph|",
    );
  });
  test("say whether they show their address", () => {
    const spans = flattenMarkdown("https://a.b www.c.d e@f.g [h](https://i.j)", { tables: "native" }).flatMap((piece) =>
      piece.type === "enter" && piece.span.type === "link" ? [piece.span.bare] : [],
    );
    expect(spans).toEqual(["full", "short", "short", undefined]);
  });
});

test("tables are spans, or code", () => {
  expect(short("| a | b |\n|---|---|\n| c |")).toBe("<table <row <cell a><cell b>>|block|<row <cell c><cell >>>");
  expect(short("| a | b |\n|---|--:|\n| c `d`<br>e | **1** |", "code")).toBe("<code-block a     | b|line|------|--|line|c d e | 1>");
});

test("styles nested beyond reason cost no stack", () => {
  expect(() => short(`${"*a ".repeat(5_000)}${"b* ".repeat(5_000)}`)).not.toThrow();
});
