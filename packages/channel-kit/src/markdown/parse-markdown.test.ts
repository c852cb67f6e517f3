import type { Nodes } from "mdast";
import { describe, expect, test } from "vitest";
import { parseMarkdown } from "../index.ts";

const types = (source: string): string[] => parseMarkdown(source).children.map(({ type }) => type);

test("reads GitHub's extensions, and emphasis in Chinese as it is meant", () => {
  expect(types("| a |\n|---|\n\n~~b~~\n\n[^1]: c")).toEqual(["table", "paragraph", "footnoteDefinition"]);
  const [paragraph] = parseMarkdown("**注意：**请").children;
  expect(paragraph).toMatchObject({ children: [{ type: "strong" }, { type: "text", value: "请" }] });
});

test("reads a name with underscores between two others as text, such as the mark of a secret, and other words as bold", () => {
  const text = { type: "text", value: "__factotum_redacted__" };
  const of = (source: string): unknown => parseMarkdown(source).children;
  expect(of("The key is __factotum_redacted__.")).toMatchObject([{ children: [{ value: "The key is " }, text, { value: "." }] }]);
  expect(of("- **__factotum_redacted__**")).toMatchObject([
    { children: [{ children: [{ children: [{ type: "strong", children: [text] }] }] }] },
  ]);
  expect(of("__bold__ **a_b** __two words__")).toMatchObject([
    { children: [{ type: "strong" }, { value: " " }, { type: "strong" }, { value: " " }, { type: "strong" }] },
  ]);
});

test.each([
  ["quotes", `${"> ".repeat(3_000)}a`],
  ["list items", `${"- ".repeat(3_000)}a`],
])("%s nested too deeply are text", (_, source) => {
  expect(parseMarkdown(source).children).toMatchObject([{ type: "paragraph", children: [{ type: "text", value: source }] }]);
});

test("a line of many dashes is a rule, however long", () => {
  expect(types(`a\n\n${"-".repeat(200)}`)).toEqual(["paragraph", "thematicBreak"]);
});

describe("marks of emphasis", () => {
  /** The nodes of a type, and the whole text. */
  function read(source: string): { readonly emphasis: number; readonly text: string } {
    const rest: Nodes[] = parseMarkdown(source).children.toReversed();
    let [emphasis, text] = [0, ""];
    for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
      if (node.type === "text") text += node.value;
      if (node.type === "strong" || node.type === "emphasis" || node.type === "delete") emphasis += 1;
      if ("children" in node) rest.push(...node.children.toReversed());
    }
    return { emphasis, text };
  }

  test.each(["*_", "_*", "a*_", "*a_", "**a", "*_~", "~*", "a**b"])("that find no other of their kind are text: %s, many times", (part) => {
    const source = part.repeat(4_000 / part.length).trim();
    expect(read(source)).toEqual({ emphasis: 0, text: source });
  });

  test("that are as tangled and few are read as ever", () => {
    expect(read("*_".repeat(20)).emphasis).toBeGreaterThan(5);
  });

  test.each([
    ["prose with much emphasis", "Some **bold** words, ~~struck~~ ones and more *words* ".repeat(140), 420],
    ["names of code", `${"snake_case_name ".repeat(450)}**bold**`, 1],
    ["products and lists", `${"- 2 * 3 _ 4\n".repeat(500)}\n**bold**`, 1],
    ["many paragraphs with single ones", `${"a word* and more*\n\n".repeat(350)}**bold**`, 1],
  ])("in %s are all read", (_, source, emphasis) => {
    expect(source.length).toBeLessThan(8_000);
    expect(read(source).emphasis).toBe(emphasis);
  });
});

describe("a long text", () => {
  const paragraph = "Some words **in bold** and [a reference][r].\n\n";
  const code = `\`\`\`ts\n${"let a = 1;\n\nlet b = 2;\n".repeat(1_000)}\`\`\`\n\n`;
  const source = `${paragraph.repeat(300)}${code}${paragraph.repeat(300)}[r]: https://x.y/z\n`;

  test("is read like a short one: code stays whole, references find their definition", () => {
    const found = parseMarkdown(source).children;
    expect(found.filter(({ type }) => type === "code")).toHaveLength(1);
    expect(found.filter(({ type }) => type === "definition")).toHaveLength(1);
    expect(found.filter(({ type }) => type === "paragraph")).toHaveLength(600);
    expect(JSON.stringify(found).split('"linkReference"')).toHaveLength(601);
  });

  test("has offsets of the whole source", () => {
    const rest: Nodes[] = [...parseMarkdown(source).children];
    for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
      if (node.type === "strong") expect(source.slice(node.position?.start.offset, node.position?.end.offset)).toBe("**in bold**");
      if ("children" in node) rest.push(...node.children);
    }
  });

  test("without a place to cut loses nothing", () => {
    for (const line of ["- item\n", "word ", "] ", "> a\nb\n"]) {
      const long = line.repeat(3_000);
      const text = JSON.stringify(parseMarkdown(long).children);
      const word = /\w+|\]/.exec(line)?.[0] ?? "";
      expect(text.split(word === "]" ? "] " : word).length).toBeGreaterThan(2_700);
    }
  });

  test.each([
    ["one word", "x".repeat(20_000)],
    ["words", "some words ".repeat(2_000).trim()],
    ["lines", "a line of words\n".repeat(1_500).trim()],
    ["characters of two units", "👍".repeat(9_000)],
  ])("in one paragraph of %s is one paragraph with the same text", (_, long) => {
    const [paragraph, ...more] = parseMarkdown(long).children;
    expect(more).toEqual([]);
    const texts = paragraph?.type === "paragraph" ? paragraph.children.map((node) => (node.type === "text" ? node.value : "?")) : [];
    expect(texts.join("")).toBe(long);
    expect([paragraph?.position?.start.offset, paragraph?.position?.end.offset]).toEqual([0, long.length]);
  });

  test("keeps two paragraphs at a cut apart", () => {
    const long = `${"x".repeat(7_990)}\n\n${"y".repeat(9_000)}`;
    expect(parseMarkdown(long).children.map(({ type }) => type)).toEqual(["paragraph", "paragraph"]);
  });
});
