import { hideTexts, hideValues, positionOf, renderExcerpt } from "../document/excerpt.ts";
import { parseKeyPath, KeyPathError, type KeyPath } from "../document/key-path.ts";
import { createKeyLocator } from "../document/locate-key.ts";
import { formatOf, type ConfigFormat, type ParsedText } from "../document/parse-text.ts";
import type { Document } from "../document/plain-object.ts";
import { literalSecretTexts } from "../secrets/redact.ts";
import type { ConfigProblem } from "./problem.ts";

interface Source {
  readonly text: string;
  readonly format: ConfigFormat;
  readonly document: Document;
}

/** Adds to each problem its position in the text, with an excerpt. */
export async function locateProblems(
  problems: readonly ConfigProblem[],
  { text, format, document }: Source,
): Promise<readonly ConfigProblem[]> {
  if (problems.length === 0) return problems;
  const locator = await createKeyLocator(text, format);
  const hide = hideTexts(literalSecretTexts(document));
  return problems.map((problem) => {
    const path = pathOf(problem);
    if (path === undefined) return problem;
    const index = locator.locate(asWritten(path, document), problem.type === "unknown-key" ? "key" : "value");
    if (index === undefined) return problem;
    const position = positionOf(text, index);
    return { ...problem, position, excerpt: renderExcerpt(text, position, hide) };
  });
}

/** A syntax error as a problem, with its place. */
export function syntaxProblem(text: string, path: string, { message, position }: ParsedText & { type: "syntax" }): ConfigProblem {
  const problem: ConfigProblem = { type: "syntax", path: "", message: `${path}: ${message}` };
  if (position === undefined) return problem;
  return { ...problem, position, excerpt: renderExcerpt(text, position, hideValues(formatOf(path))) };
}

function pathOf({ path }: ConfigProblem): KeyPath | undefined {
  if (path === "") return undefined;
  try {
    return parseKeyPath(path);
  } catch (error) {
    // A name that no command can set, such as __proto__.
    if (error instanceof KeyPathError) return undefined;
    throw error;
  }
}

/** `agents.defaults` may be written in its old form, `agent`. */
function asWritten(path: KeyPath, document: Document): KeyPath {
  const isOld = path[0] === "agents" && path[1] === "defaults" && "agent" in document && !("agents" in document);
  return isOld ? ["agent", ...path.slice(2)] : path;
}
