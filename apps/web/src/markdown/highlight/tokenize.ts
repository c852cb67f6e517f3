import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import { codeToTokensBase, createShikiPrimitive, getLastGrammarState } from "@shikijs/primitive";
import type { GrammarState, ShikiPrimitive, ThemeRegistration } from "@shikijs/types";
import type { CodeToken, TokenKind } from "./code-token.ts";
import type { GrammarName } from "./languages.ts";
import { loadGrammar } from "./load-grammar.ts";

/** Scope names of the grammars by kind; the most specific name wins. */
const SCOPES: readonly (readonly [TokenKind, readonly string[]])[] = [
  ["comment", ["comment", "punctuation.definition.comment", "string.quoted.docstring"]],
  ["string", ["string", "punctuation.definition.string", "markup.inline.raw", "markup.fenced_code"]],
  ["constant", ["constant", "support.constant", "variable.language", "constant.other.color"]],
  ["keyword", ["keyword", "storage", "keyword.operator.new", "markup.heading"]],
  ["function", ["entity.name.function", "support.function", "meta.function-call.generic", "variable.function"]],
  [
    "type",
    ["entity.name.type", "entity.name.class", "entity.other.inherited-class", "support.type", "support.class", "entity.name.namespace"],
  ],
  [
    "tag",
    [
      "entity.name.tag",
      "entity.other.attribute-name",
      "support.type.property-name",
      "meta.object-literal.key",
      "variable.other.property.ini",
    ],
  ],
];

/** Placeholder colours for kinds; the page's style sheet sets the real ones, in both themes. */
const colourOf = (index: number): string => `#00000${index + 1}`;
const TEXT_SCOPES = [
  "keyword.operator",
  "punctuation",
  "storage.type.generic.wildcard",
  "string.unquoted.argument",
  "string.unquoted.plain",
];
const THEME: ThemeRegistration = {
  name: "kinds",
  type: "light",
  fg: "#000000",
  bg: "#ffffff",
  settings: [
    { settings: { foreground: "#000000", background: "#ffffff" } },
    ...SCOPES.map(([, scope], index) => ({ scope: [...scope], settings: { foreground: colourOf(index) } })),
    { scope: TEXT_SCOPES, settings: { foreground: "#000000" } },
  ],
};

/** Longer lines, in characters, are data rather than code. This also bounds the time of a line. */
const MAX_LINE_LENGTH = 2000;

let primitive: ShikiPrimitive | undefined;

/** Highlights code, one chunk of lines after the other, on demand. Rejects if the grammar cannot be loaded. */
export async function* tokenizeChunks(chunks: readonly string[], grammar: GrammarName): AsyncGenerator<readonly CodeToken[]> {
  primitive ??= createShikiPrimitive({ themes: [THEME], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) });
  if (!primitive.getLoadedLanguages().includes(grammar)) await primitive.loadLanguage(...(await loadGrammar(grammar)));
  let state: GrammarState | undefined;
  for (const chunk of chunks) {
    const lines = codeToTokensBase(primitive, chunk.replace(/\n$/, ""), {
      lang: grammar,
      theme: "kinds",
      tokenizeMaxLineLength: MAX_LINE_LENGTH,
      // No limit: the grammar's expressions are compiled on first use, and a limit would cut off the line that happens in.
      tokenizeTimeLimit: 0,
      ...(state !== undefined && { grammarState: state }),
    });
    state = getLastGrammarState(primitive, lines);
    const tokens: CodeToken[] = [];
    for (const [index, line] of lines.entries()) {
      for (const { content, color } of line) append(tokens, content, kindOf(color));
      if (index < lines.length - 1 || chunk.endsWith("\n")) append(tokens, "\n", undefined);
    }
    yield tokens;
  }
}

function kindOf(color: string | undefined): TokenKind | undefined {
  const index = SCOPES.findIndex((_scope, place) => colourOf(place) === color?.toLowerCase());
  return SCOPES[index]?.[0];
}

/** Merges neighbours of one kind; white space has no kind. */
function append(tokens: CodeToken[], text: string, kind: TokenKind | undefined): void {
  const last = tokens.at(-1);
  if (last !== undefined && (last.kind === kind || text.trim() === "")) tokens[tokens.length - 1] = { ...last, text: last.text + text };
  else tokens.push({ text, kind });
}
