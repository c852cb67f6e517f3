import type { MemoryForgetScope } from "@factotum/protocol";

/** What to forget as it is in the fields of the form. */
export interface ForgetDraft {
  readonly by: MemoryForgetScope["type"];
  readonly text: string;
  /** Times of the browser's clock, as its own field writes them. */
  readonly from: string;
  readonly until: string;
  readonly sessionKey: string;
}

/** Empty fields. */
export const NEW_DRAFT: ForgetDraft = { by: "search", text: "", from: "", until: "", sessionKey: "" };

/** A shorter text is in too many others. */
const MIN_CHARS = 2;

/** What the fields say; `undefined` while something is missing. */
export function forgetScope({ by, text, from, until, sessionKey }: ForgetDraft): MemoryForgetScope | undefined {
  if (by === "search") return text.trim().length < MIN_CHARS ? undefined : { type: "search", text: text.trim() };
  if (by === "session") return sessionKey === "" ? undefined : { type: "session", sessionKey };
  const [fromMs, toMs] = [Date.parse(from), until === "" ? undefined : Date.parse(until)];
  if (Number.isNaN(fromMs) || (toMs !== undefined && !(toMs > fromMs))) return undefined;
  return { type: "span", fromMs, ...(toMs !== undefined && { toMs }) };
}
