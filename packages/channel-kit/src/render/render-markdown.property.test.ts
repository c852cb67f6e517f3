import fc from "fast-check";
import type { BlockContent, PhrasingContent, Root } from "mdast";
import { describe, expect, test } from "vitest";
import {
  asteriskMarkup,
  controlCodes,
  flattenMarkdown,
  htmlDocument,
  htmlSubset,
  markdownMarkup,
  measure,
  plainText,
  renderMarkdown,
} from "../index.ts";
import type { Dialect, RenderOptions, TextUnit } from "../index.ts";
import { readAsterisks, readControlCodes, readHtml, readMarkdown, readPieces, readPlain } from "../../test/dialect-readers.ts";
import type { DialectReader, StyledCharacter } from "../../test/dialect-readers.ts";

const SUBSET = new Set(["b", "i", "s", "code", "pre", "a", "blockquote"]);
const DOCUMENT = new Set("p strong em del code pre a blockquote ul ol li br hr h1 h2 h3 h4 h5 h6 table tr th td".split(" "));

/** A dialect with its reader, and the styles in which it shows a character. `spans`: those that have no visible markup. */
interface Entry {
  readonly dialect: Dialect;
  readonly read: DialectReader;
  readonly styles?: (styles: string) => string;
  readonly spans: readonly ("link" | "quote" | "list")[];
  /** Text that may have a style. */
  readonly text?: (text: string) => boolean;
}

const mapped = (names: Readonly<Record<string, string>>) => (styles: string) =>
  [...new Set(styles.split("+").map((style) => names[style] ?? style))]
    .filter((style) => style !== "")
    .toSorted()
    .join("+");
const codeAlone = (styles: string): string => (styles.includes("code") ? (/code-block|code/.exec(styles)?.[0] ?? "") : styles);

const DIALECTS: Readonly<Record<string, Entry>> = {
  markdown: { dialect: markdownMarkup(), read: readMarkdown, spans: ["link", "quote", "list"] },
  "chat markdown": {
    dialect: markdownMarkup({
      headings: 3,
      tables: "code",
      images: "link",
      fences: "three",
      addresses: "angle",
      mentions: /@(?=everyone|here)/g,
    }),
    read: readMarkdown,
    spans: ["link", "quote", "list"],
  },
  "html subset": {
    dialect: htmlSubset(),
    read: readHtml(SUBSET),
    styles: (styles) => codeAlone(mapped({ heading: "strong" })(styles)),
    spans: ["link", "quote"],
  },
  "html document": { dialect: htmlDocument(), read: readHtml(DOCUMENT), styles: mapped({ heading: "" }), spans: ["link", "quote", "list"] },
  asterisks: {
    dialect: asteriskMarkup({ links: "angle", mentions: /@(?=everyone|here|channel)/gi }),
    read: readAsterisks,
    styles: mapped({ heading: "strong" }),
    spans: ["link"],
    // A style that begins or ends with a literal delimiter, perhaps after a cut, is lost.
    text: (text) => !/(?:^|[\s。])[*_~`]|[*_~`](?:[\s。]|$)/.test(text),
  },
  "control codes": {
    dialect: controlCodes(),
    read: readControlCodes,
    styles: mapped({ heading: "strong", "code-block": "code" }),
    spans: [],
  },
  plain: { dialect: plainText(), read: readPlain, styles: () => "", spans: [] },
};
const dialects = Object.entries(DIALECTS).map(([name, entry]) => ({ name, ...entry }));

const special = fc.constantFrom(
  ..."*_~`\\[]()<>&|!#+-=:.@\"'{}^$%;/,?0159".split(""),
  "**",
  "__",
  "~~",
  "```",
  "](",
  "<!",
  "&amp;",
  "http://",
  "www.",
  "@everyone",
  "<@U1>",
  "<!here>",
  "||",
  "> ",
  "# ",
  "- ",
  "1. ",
  "1) ",
  "---",
  "===",
  "[x]",
  "[^1]",
);
const letters = fc.constantFrom("a", "b", "x", "word", "snake_case", "好的", "。", "：", "é", "e\u0301", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪", "مرحبا", "ß");
const wordText = fc.array(fc.oneof(special, letters), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
const lineText = fc.array(wordText, { minLength: 1, maxLength: 8 }).map((words) => words.join(" ").trim());
const paragraphText = fc.array(lineText, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n"));

/** Without what GitHub's Markdown makes a link of its own accord. */
const styledText = lineText.filter((text) => !/www|http|@/.test(text));

const url = fc.constantFrom("https://x.y/z", "https://x.y/a_(b)?c=d&e=<f>|g", "mailto:a@b.c");

/** Nested blocks with styles. */
function blocksWith({ spans, text = () => true }: Pick<Entry, "spans" | "text">): fc.Arbitrary<BlockContent[]> {
  const { phrasing } = fc.letrec<{ phrasing: PhrasingContent[]; one: PhrasingContent }>((tie) => ({
    phrasing: fc.array(tie("one"), { minLength: 1, maxLength: 3 }),
    one: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      styledText.filter(text).map((value): PhrasingContent => ({ type: "text", value })),
      wordText
        .map((value) => value.trim())
        .filter((value) => value !== "" && text(value))
        .map((value): PhrasingContent => ({ type: "inlineCode", value })),
      tie("phrasing").map((children): PhrasingContent => ({ type: "strong", children })),
      tie("phrasing").map((children): PhrasingContent => ({ type: "emphasis", children })),
      tie("phrasing").map((children): PhrasingContent => ({ type: "delete", children })),
      ...(spans.includes("link")
        ? [fc.record({ url, children: tie("phrasing") }).map((link): PhrasingContent => ({ type: "link", ...link }))]
        : []),
    ),
  }));
  return fc.letrec<{ all: BlockContent[]; one: BlockContent }>((tie) => ({
    all: fc.array(tie("one"), { minLength: 1, maxLength: 2 }),
    one: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      phrasing.map((children): BlockContent => ({ type: "paragraph", children })),
      fc.record({ depth: fc.constantFrom(1, 2, 3), children: phrasing }).map((heading): BlockContent => ({ type: "heading", ...heading })),
      paragraphText.map((value): BlockContent => ({ type: "code", value })),
      ...(spans.includes("quote") ? [tie("all").map((children): BlockContent => ({ type: "blockquote", children }))] : []),
      ...(spans.includes("list")
        ? [
            fc
              .record({ ordered: fc.boolean(), spread: fc.boolean(), items: fc.array(tie("all"), { minLength: 1, maxLength: 2 }) })
              .map(({ ordered, spread, items }): BlockContent => ({
                type: "list",
                ordered,
                spread,
                children: items.map((children) => ({ type: "listItem", spread, children })),
              })),
          ]
        : []),
    ),
  })).all;
}

const limits = fc.record({
  maxLength: fc.integer({ min: 32, max: 200 }),
  unit: fc.constantFrom<TextUnit>("utf16", "code-points", "bytes"),
  maxLines: fc.constantFrom(4, 8, Number.POSITIVE_INFINITY),
});

const textRoot = (value: string): Root => ({ type: "root", children: [{ type: "paragraph", children: [{ type: "text", value }] }] });
const textOf = (characters: readonly StyledCharacter[]): string => characters.map(({ character }) => character).join("");
const visible = (text: string): string => text.replaceAll(/[\s\u200b]/g, "");

describe.each(dialects)("$name:", ({ dialect, read }) => {
  test("text is read back as it was, without any style", () => {
    fc.assert(
      fc.property(paragraphText, (text) => {
        const [message = ""] = renderMarkdown(textRoot(text), { dialect });
        const characters = read(message);
        expect(textOf(characters)).toBe(visible(text));
        expect(characters.filter(({ styles }) => styles !== "" && styles !== "link")).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test("any characters at all", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        // oxlint-disable-next-line no-control-regex -- these are dropped
        const cleaned = text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "").toWellFormed();
        const message = renderMarkdown(textRoot(text), { dialect }).join("");
        expect(textOf(read(message))).toBe(visible(cleaned));
      }),
      { numRuns: 200 },
    );
  });

  test("every message of a text fits, is whole, and together they are the text", () => {
    fc.assert(
      fc.property(fc.array(paragraphText, { minLength: 1, maxLength: 6 }), limits, (paragraphs, limit) => {
        const messages = renderMarkdown(textRoot(paragraphs.join("\n\n")), { dialect, ...limit });
        expectFit(messages, { dialect, ...limit }, read);
        expect(textOf(messages.flatMap(read))).toBe(visible(paragraphs.join("")));
      }),
      { numRuns: 200 },
    );
  });
});

function expectFit(messages: readonly string[], options: RenderOptions, read: DialectReader): void {
  const { dialect, maxLength = 0, maxLines = 0, unit = "utf16" } = options;
  for (const message of messages) {
    const text = dialect.counts === "text" ? textOf(read(message)) : message;
    expect(measure(text, unit), message).toBeLessThanOrEqual(maxLength);
    expect(message.split("\n").length, message).toBeLessThanOrEqual(maxLines);
    expect(message.isWellFormed(), message).toBe(true);
    expect(message.trim(), message).not.toBe("");
  }
}

/** Without numbers: below a paragraph that continues, `2.` is its text and no list. */
function withBullets(root: Root): Root {
  return JSON.parse(JSON.stringify(root).replaceAll('"ordered":true', '"ordered":false')) as Root;
}

const wideLimits = limits.map((limit) => ({ ...limit, maxLength: limit.maxLength + 500, maxLines: limit.maxLines + 8 }));

test.each(dialects)(
  "$name: every character is shown in its styles, also after a cut",
  ({ dialect, read, spans, text, styles = (names) => names }) => {
    fc.assert(
      fc.property(
        fc.array(blocksWith({ spans, ...(text !== undefined && { text }) }), { minLength: 1, maxLength: 3 }),
        wideLimits,
        (children, limit) => {
          const root: Root = { type: "root", children: children.flat() };
          const expected = readPieces(flattenMarkdown(root, dialect)).map((shown) => ({ ...shown, styles: styles(shown.styles) }));
          for (const options of [undefined, limit]) {
            const messages = renderMarkdown(options === undefined ? root : withBullets(root), { dialect, ...options });
            expect(messages.flatMap(read), messages.join("\n=====\n")).toEqual(expected);
          }
        },
      ),
      { numRuns: 100 },
    );
  },
);
