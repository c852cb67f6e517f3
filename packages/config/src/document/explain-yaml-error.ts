/** Descriptions of the YAML library's error codes. */
const WORDS: Readonly<Record<string, string>> = {
  BAD_ALIAS: "this alias is not read: *name refers to an &name that stands before it",
  BAD_INDENT: "this line is not indented like its neighbours; keys of one object begin in the same column",
  BAD_SCALAR_START: "a text that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: "a key is one line: put its value behind the colon, or indented below it",
  BLOCK_IN_FLOW: "within { } and [ ] entries are separated by commas, not by lines",
  DUPLICATE_KEY: "this key stands twice in one object; make one of the two",
  IMPOSSIBLE: "this cannot be read",
  KEY_OVER_1024_CHARS: "this key is too long; a colon may be missing",
  MISSING_CHAR: "a character is missing here: a quote, a comma, a colon or a closing bracket",
  MULTILINE_IMPLICIT_KEY: "a colon is missing at the end of this line, or the next one is indented too far",
  MULTIPLE_DOCS: "the file holds one document: remove the line ---",
  MULTIPLE_TAGS: "a value has one tag at most",
  NON_STRING_KEY: "a key is a text",
  TAB_AS_INDENT: "a tab cannot indent a line; use spaces",
  TAG_RESOLVE_FAILED: "this tag is not known; remove it",
  UNEXPECTED_TOKEN: "this is not expected here; a quote, a comma or a colon may be missing before it",
};

/** Describes an error of the YAML library, with its index. */
export function explainYamlError(
  { code, message, pos: [index] }: { readonly code: string; readonly message: string; readonly pos: readonly [number, number] },
  text: string,
): { readonly message: string; readonly index: number } {
  const quote = code === "MISSING_CHAR" ? /Missing closing (["'])/.exec(message)?.[1] : undefined;
  // The string extends to the end of the file: the last quote opens it.
  if (quote !== undefined) return { message: "this text has no closing quote", index: Math.max(0, text.lastIndexOf(quote)) };
  return { message: WORDS[code] ?? "this cannot be read as YAML; indentation, a quote or a colon may be wrong", index };
}
