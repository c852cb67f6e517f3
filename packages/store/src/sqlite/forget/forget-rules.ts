/** Predicates over stored data that decide what is forgotten. Each must be deterministic. */
export interface ForgetRules {
  /** When it was decided, milliseconds since the epoch: newer rows stay. */
  readonly atMs: number;
  /** All that was said in the session with this key. */
  isSession(key: string): boolean;
  /** All that happened at this time, milliseconds since the epoch. */
  isTime(atMs: number): boolean;
  /** Every exchange in which this text was said. */
  isText(text: string): boolean;
  /** Quotes of what is forgotten, in what stays, are replaced. Returns a text without quotes unchanged. */
  redact(text: string): string;
}

/** Applies `change` to every text in JSON but the keys, which are the form of what is stored, and returns the JSON; to the text itself if it is no JSON. */
export function mapTexts(json: string, change: (text: string) => string): string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return change(json);
    throw error;
  }
  let isChanged = false;
  const visit = (node: unknown): unknown => {
    if (typeof node === "string") {
      const next = change(node);
      isChanged ||= next !== node;
      return next;
    }
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, visit(child)]));
  };
  const next = visit(value);
  return isChanged ? JSON.stringify(next) : json;
}

/** True if any text in JSON but the keys is one; for a text that is no JSON, if the text is. */
export function hasText(json: string, isWanted: (text: string) => boolean): boolean {
  let isFound = false;
  mapTexts(json, (text) => {
    isFound ||= isWanted(text);
    return text;
  });
  return isFound;
}
