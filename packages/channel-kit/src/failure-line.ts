/** Characters of a line; a platform's page of HTML is cut. */
const MAX_LENGTH = 1_000;

/** The issues of a schema validator as text, which is what its errors have as message. */
const ISSUES = /\[\s*\{[^]*"path"[^]*\}\s*\]/;

/**
 * A failure, or the text of one, as one line for status: the issues of a validator, which can be dozens of lines, become the first of them, with its place. The
 * log has the whole error.
 */
export function failureLine(failure: unknown): string {
  const text = typeof failure === "string" ? failure : failure instanceof Error ? failure.message : "it failed for an unknown reason";
  const line = text
    .replace(ISSUES, (issues) => describeIssues(issues) ?? issues)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}

function describeIssues(text: string): string | undefined {
  const [first, ...others] = parseIssues(text);
  if (first === undefined) return undefined;
  const place = first.path.length === 0 ? "" : `${first.path.join(".")}: `;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `the platform's answer has an unexpected form (${place}${first.message}${more}): check the address in the account's settings, then update the extension; the log has the details`;
}

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function parseIssues(text: string): readonly Issue[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter(isIssue) : [];
  } catch {
    return [];
  }
}

function isIssue(value: unknown): value is Issue {
  if (typeof value !== "object" || value === null) return false;
  const { path, message } = value as { readonly path?: unknown; readonly message?: unknown };
  return Array.isArray(path) && typeof message === "string";
}
