import type { JsonValue } from "@factotum/agent-contract";
import { formatKeyPath, parseKeyPath, valueAt, withValue } from "../document/key-path.ts";
import { parseText, type ConfigFormat } from "../document/parse-text.ts";
import type { Document } from "../document/plain-object.ts";
import { REDACTED } from "../schema/secret.ts";
import { literalSecretPaths, literalSecretTexts, redactionMarks, redactSecrets, restoreSecrets } from "../secrets/redact.ts";
import { isSecretPath } from "../secrets/secret-keys.ts";
import { editText } from "./edit-text.ts";

/** A shorter secret is hidden at its key alone: its text may be an ordinary word elsewhere. */
const SHORTEST_ANYWHERE = 8;

/** A key with a quoted value, as in a comment: `// apiKey: "…"`. */
const WRITTEN_PAIR = /(?<key>[\w$-]+)(?<between>["']?\s*[:=]\s*)(?<quote>["'])(?<value>(?:(?!\k<quote>)[^\\\n]|\\.)+)\k<quote>/g;

/** The text of a file for display: every literal secret is replaced by a mark, also in comments. The lines stay if the comments do. */
export async function redactText(text: string, format: ConfigFormat, document: Document): Promise<string> {
  let shown = text;
  let current = document;
  for (const path of literalSecretPaths(document)) {
    const value = redactSecrets(valueAt(current, path), path) as JsonValue;
    const after = withValue(current, path, value);
    shown = (await editText(shown, format, { path, value, before: current, after })).text;
    current = after;
  }
  const atKeys = new Set(literalSecretPaths(document).map((path) => valueAt(document, path)));
  for (const secret of literalSecretTexts(document)) {
    // One that is no text at its key, but a number or in a list, is hidden wherever it is.
    if (secret.length < SHORTEST_ANYWHERE && atKeys.has(secret)) continue;
    for (const written of [secret, JSON.stringify(secret).slice(1, -1)]) shown = shown.replaceAll(written, REDACTED);
  }
  return shown.replaceAll(WRITTEN_PAIR, (pair, key: string, between: string, quote: string, value: string) =>
    isSecretPath([key]) && !/^\$\{\w+\}$/.test(value) ? `${key}${between}${quote}${REDACTED}${quote}` : pair,
  );
}

/** A text in which each mark is again the secret that it stands for, or the places of marks that stand for none; empty for one in a comment. */
type RestoredText = { readonly type: "text"; readonly text: string } | { readonly type: "marks"; readonly places: readonly string[] };

/** The opposite of `redactText` after a person has changed the text. A text that cannot be parsed is left as it is. */
export async function restoreText(
  written: string,
  { format, before, text }: { readonly format: ConfigFormat; readonly before: Document; readonly text: string },
): Promise<RestoredText> {
  const parsed = await parseText(written, format);
  if (parsed.type === "syntax" || !written.includes(REDACTED)) return { type: "text", text: written };
  let restored = written;
  let { document } = parsed;
  for (const place of redactionMarks(document)) {
    const path = parseKeyPath(place);
    const marked = valueAt(document, path);
    const value = restoreSecrets(marked, before, path) as JsonValue;
    if (value === marked) return { type: "marks", places: [place] };
    const after = withValue(document, path, value);
    restored = (await editText(restored, format, { path, value, before: document, after })).text;
    document = after;
  }
  return restoreComments(restored, { shown: await redactText(text, format, before), text });
}

/** Lines with marks that are still as they were shown get their text of the file. */
function restoreComments(restored: string, { shown, text }: { readonly shown: string; readonly text: string }): RestoredText {
  if (!restored.includes(REDACTED)) return { type: "text", text: restored };
  const [before, after] = [text.split("\n"), shown.split("\n")];
  const originals =
    before.length === after.length ? new Map(after.map((line, index) => [line.trim(), before[index]?.trim() ?? ""])) : new Map();
  const lines = restored.split("\n").map((line) => {
    const original: unknown = line.includes(REDACTED) ? originals.get(line.trim()) : undefined;
    return typeof original === "string" ? line.replace(line.trim(), () => original) : line;
  });
  const whole = lines.join("\n");
  return whole.includes(REDACTED) ? { type: "marks", places: [formatKeyPath([])] } : { type: "text", text: whole };
}
