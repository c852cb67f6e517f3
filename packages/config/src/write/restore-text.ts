import type { JsonValue } from "@factotum/agent-contract";
import { formatKeyPath, valueAt, withValue, type KeyPath } from "../document/key-path.ts";
import { parseText, type ConfigFormat } from "../document/parse-text.ts";
import type { Document } from "../document/plain-object.ts";
import { REDACTED } from "../schema/secret.ts";
import { literalSecretPaths, literalSecretTexts, redactedAt, redactionMarks } from "../secrets/redact.ts";
import { restoreSecrets } from "../secrets/restore-secrets.ts";
import { isSecretPath } from "../secrets/secret-keys.ts";
import { editTexts, type TextEdit } from "./edit-text.ts";
import { redactComments } from "./redact-comments.ts";

/** A shorter secret is hidden at its key alone: its text may be an ordinary word elsewhere. */
const SHORTEST_ANYWHERE = 8;

/** A key with a quoted value, as in a comment: `// apiKey: "…"`. */
const WRITTEN_PAIR = /(?<![\w$-])(?<key>[\w$-]+)(?<between>["']?\s*[:=]\s*)(?<quote>["'])(?<value>(?:(?!\k<quote>)[^\\\n]|\\.)+)\k<quote>/g;
/** Credentials in an address, also of a comment. */
const WRITTEN_CREDENTIALS = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"'`]+@/gi;

/** The text of a file for display: every literal secret is replaced by a mark, also in comments. The lines stay if the comments do. */
export async function redactText(text: string, format: ConfigFormat, document: Document): Promise<string> {
  const edits: TextEdit[] = [];
  for (const path of literalSecretPaths(document)) {
    const before = edits.at(-1)?.after ?? document;
    const value = redactedAt(before, path) as JsonValue;
    edits.push({ path, value, before, after: withValue(before, path, value) });
  }
  let { text: shown } = await editTexts(text, format, edits);
  const atKeys = new Set(literalSecretPaths(document).map((path) => valueAt(document, path)));
  for (const secret of literalSecretTexts(document)) {
    // One that is no text at its key, but a number or in a list, is hidden wherever it is.
    if (secret.length < SHORTEST_ANYWHERE && atKeys.has(secret)) continue;
    for (const written of [secret, JSON.stringify(secret).slice(1, -1)]) shown = shown.replaceAll(written, REDACTED);
  }
  const hidden = shown
    .replaceAll(WRITTEN_PAIR, (pair, key: string, between: string, quote: string, value: string) =>
      isSecretPath([key]) && !/^\$\{\w+\}$/.test(value) ? `${key}${between}${quote}${REDACTED}${quote}` : pair,
    )
    .replaceAll(WRITTEN_CREDENTIALS, `$1${REDACTED}@`);
  return redactComments(hidden.split("\n")).join("\n");
}

/** A text in which each mark is again the secret that it stands for, or the places of marks that stand for none; empty for one in a comment. */
type RestoredText = { readonly type: "text"; readonly text: string } | { readonly type: "marks"; readonly places: readonly string[] };

/** The file as it is, and as it was shown. */
interface ShownFile {
  readonly format: ConfigFormat;
  readonly before: Document;
  readonly text: string;
  /** Hides more than `redactText` does. */
  readonly hide: (text: string) => string;
}

/**
 * The opposite of `redactText` after a person has changed the text: marks get their secrets at the same keys, and in lines that are as they were shown, where a
 * word that is a secret elsewhere is hidden too. A text that cannot be parsed is left as it is.
 */
export async function restoreText(written: string, { format, before, text, hide }: ShownFile): Promise<RestoredText> {
  const marked = await parseText(written, format);
  if (!written.includes(REDACTED) || marked.type === "syntax") return { type: "text", text: written };
  const lines = { shown: hide(await redactText(text, format, before)), text };
  const certain = restoreLines(written, lines, { inOrder: false });
  const restored = restoreLines(await restoreValues(certain, { format, before }), lines, { inOrder: true });
  const parsed = await parseText(restored, format);
  const document = parsed.type === "document" ? parsed.document : {};
  const wrong = [...redactionMarks(document), ...movedSecrets(document, { before, marked: marked.document })];
  if (wrong.length === 0 && !restored.includes(REDACTED)) return { type: "text", text: restored };
  return { type: "marks", places: wrong.length === 0 ? [formatKeyPath([])] : [...new Set(wrong.map(formatKeyPath))] };
}

/** Restores marks at the keys of their secrets. */
async function restoreValues(written: string, { format, before }: Pick<ShownFile, "format" | "before">): Promise<string> {
  const parsed = await parseText(written, format);
  if (parsed.type === "syntax") return written;
  const { document } = parsed;
  const edits: TextEdit[] = [];
  const whole = restoreSecrets(document, before, []);
  for (const path of redactionMarks(document)) {
    const value = valueAt(whole, path) as JsonValue;
    const marked = edits.at(-1)?.after ?? document;
    if (value !== valueAt(marked, path)) edits.push({ path, value, before: marked, after: withValue(marked, path, value) });
  }
  return (await editTexts(written, format, edits)).text;
}

/** Lines with marks that are still as they were shown get their text of the file. Equal ones of different texts are told apart by their order, or not at all. */
function restoreLines(
  written: string,
  { shown, text }: { readonly shown: string; readonly text: string },
  { inOrder }: { readonly inOrder: boolean },
): string {
  const [before, hidden, lines] = [text.split("\n"), shown.split("\n"), written.split("\n")];
  if (before.length !== hidden.length) return written;
  const known = new Map<string, string[]>();
  for (const [index, line] of hidden.entries())
    if (line.includes(REDACTED)) known.set(line.trim(), [...(known.get(line.trim()) ?? []), before[index]?.trim() ?? ""]);
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  const restored = lines.map((line) => {
    const shownLine = line.trim();
    const originals = known.get(shownLine) ?? [];
    const [first] = originals;
    if (first === undefined) return line;
    if (originals.every((original) => original === first)) return line.replace(shownLine, () => first);
    if (!inOrder || counts.get(shownLine) !== originals.length) return line;
    known.set(shownLine, [...originals.slice(1), first]);
    return line.replace(shownLine, () => first);
  });
  return restored.join("\n");
}

/** Keys to which the line of a secret of another key was moved: a mark is no value there. */
function movedSecrets(
  document: Document,
  { before, marked }: { readonly before: Document; readonly marked: Document },
): readonly KeyPath[] {
  const expected = restoreSecrets(marked, before, []);
  return literalSecretPaths(document).filter((path) => {
    const mark = valueAt(marked, path);
    return typeof mark === "string" && mark.includes(REDACTED) && valueAt(document, path) !== valueAt(expected, path);
  });
}
