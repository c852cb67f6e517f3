import type { Nodes } from "mdast";
import { describe, expect, test } from "vitest";
import type { Formula } from "./math-tree.ts";
import { parseMarkdown } from "./parse-markdown.ts";

/** A short form of a tree: node names with their content. */
function outline(node: Nodes | Formula): unknown {
  if (node.type === "formula") return { [node.display ? "display" : "inline"]: node.value };
  if ("children" in node) return [node.type, ...node.children.map(outline)];
  return "value" in node ? node.value : node.type;
}

const tree = (text: string): unknown[] => parseMarkdown(text).children.map(outline);

describe("a formula", () => {
  test.each([
    [String.raw`Area \(a^2\), cost $5 to $6.`, [["paragraph", "Area ", { inline: "a^2" }, ", cost $5 to $6."]]],
    [String.raw`\(a\_b \, c\\d\)`, [["paragraph", { inline: String.raw`a\_b \, c\\d` }]]],
    ["\\(a\nb\\)", [["paragraph", { inline: "a\nb" }]]],
    [String.raw`so \[x\] and $$y$$ here`, [["paragraph", "so ", { display: "x" }, " and ", { display: "y" }, " here"]]],
    ["\\[\n- x\n= y\n\\]\nEnd", [{ display: "- x\n= y" }, ["paragraph", "End"]]],
    ["$$\n- x\n\\$ y\n$$\n", [{ display: "- x\n\\$ y" }]],
    [
      "Text\n$$ \\begin{aligned}\na &= b\n\\end{aligned} $$  \n\nEnd",
      [["paragraph", "Text"], { display: "\\begin{aligned}\na &= b\n\\end{aligned}" }, ["paragraph", "End"]],
    ],
    ["$$x$$", [{ display: "x" }]],
    ["$$a $ b$$", [{ display: "a $ b" }]],
    ["> \\[\n> a\n> b\n> \\]\n", [["blockquote", { display: "a\nb" }]]],
    ["- so:\n  $$\n  a\n  $$\n- b", [["list", ["listItem", ["paragraph", "so:"], { display: "a" }], ["listItem", ["paragraph", "b"]]]]],
  ])("%j is recognised, with its characters unchanged", (text, expected) => {
    expect(tree(text)).toEqual(expected);
  });

  test("keeps its source, delimiters included", () => {
    const [first] = parseMarkdown("\\[\na\n\\]").children;
    expect(first).toMatchObject({ type: "formula", source: "\\[\na\n\\]" });
  });

  test.each([
    ["\\[\na +", [{ display: "a +" }]],
    ["$$\na", [{ display: "a" }]],
    ["\\[", [{ display: "" }]],
    ["\\[ a\n\nText", [{ display: "a" }, ["paragraph", "Text"]]],
  ])("%j is unfinished and ends at an empty line at the latest", (text, expected) => {
    expect(tree(text)).toEqual(expected);
  });

  test.each([
    ["a \\( b", [["paragraph", "a ( b"]]],
    ["\\[x\\] in words", [["paragraph", { display: "x" }, " in words"]]],
    ["costs $$ a lot", [["paragraph", "costs $$ a lot"]]],
    ["`\\(a\\)`", [["paragraph", "\\(a\\)"]]],
    ["```\n$$\na\n$$\n```", ["$$\na\n$$"]],
    ["\\\\(a)", [["paragraph", "\\(a)"]]],
    [
      "> $$\n> a\nb",
      [
        ["blockquote", { display: "a" }],
        ["paragraph", "b"],
      ],
    ],
  ])("%j is not a formula, or an inline one", (text, expected) => {
    expect(tree(text)).toEqual(expected);
  });
});
