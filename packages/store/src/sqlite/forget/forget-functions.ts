import { createHash } from "node:crypto";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { checksum } from "../values/checksum.ts";
import { decodeId, encodeId } from "../values/sequence-id.ts";
import { withoutWords, type InboxPayload } from "../tables/inbox-table.ts";
import type { SessionFacts } from "../tables/session-row.ts";
import { hasText, mapTexts, type ForgetRules } from "./forget-rules.ts";

type Value = string | number | null;

/** Gives a connection the functions that the statements of forgetting use. */
export function addForgetFunctions(connection: DatabaseSync, rules: ForgetRules): void {
  const add = (name: string, work: (...values: Value[]) => Value): void =>
    connection.function(name, { varargs: true }, (...values: SQLInputValue[]) => work(...(values as Value[])));
  add("is_session", (key) => asFlag(rules.isSession(String(key))));
  add("is_time", (atMs) => asFlag(typeof atMs === "number" && rules.isTime(atMs)));
  add("is_text", (json) => asFlag(typeof json === "string" && hasText(json, (text) => rules.isText(text))));
  add("has_quote", (json) => asFlag(typeof json === "string" && hasText(json, (text) => rules.redact(text) !== text)));
  add("redacted", (json) => mapTexts(String(json), (text) => rules.redact(text)));
  add("sum_of", (payload, ...facts) => checksum(String(payload), facts));
  add("entry_number", (id) => decodeId("e", String(id)) ?? null);
  add("input_id", (n) => encodeId("i", Number(n)));
  add("hash_of", (text) => createHash("sha256").update(String(text)).digest("hex"));
  add("facts_without", (facts, key, isNamed) => factsWithout(String(facts), { key: String(key), isNamed: isNamed === 1 }, rules));
  const isForgotten = (entryId: string): boolean =>
    connection.prepare("SELECT 1 FROM forgotten_entries WHERE id = ?").get(decodeId("e", entryId) ?? -1) !== undefined;
  add("without_entries", (payload) => withoutEntries(String(payload), isForgotten));
  add("without_words", (payload) => withoutWordsOf(String(payload)));
}

function asFlag(isTrue: boolean): number {
  return isTrue ? 1 : 0;
}

/** A damaged payload is emptied, and stays damaged. */
function withoutWordsOf(payload: string): string {
  try {
    const { message, admission } = JSON.parse(payload) as InboxPayload;
    const emptied = withoutWords({ message, admission });
    return JSON.stringify({ ...emptied, message: { ...emptied.message, event: { type: "message" } } });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return "";
    throw error;
  }
}

interface Replaced {
  readonly entryId: string;
}

/** The stored form of a replacement, without what replaces forgotten entries. */
function withoutEntries(payload: string, isForgotten: (entryId: string) => boolean): string {
  const stored = JSON.parse(payload) as readonly Replaced[] | { readonly messages: readonly Replaced[] };
  const keep = (all: readonly Replaced[]): readonly Replaced[] => all.filter(({ entryId }) => !isForgotten(entryId));
  return JSON.stringify("messages" in stored ? { ...stored, messages: keep(stored.messages) } : keep(stored));
}

/** The stored facts of a session, without the words of what is forgotten. */
function factsWithout(facts: string, { key, isNamed }: { readonly key: string; readonly isNamed: boolean }, rules: ForgetRules): string {
  const { displayName, lastHeartbeat, ...others } = JSON.parse(facts) as SessionFacts;
  const holds = (text: string): boolean => rules.isText(text) || rules.redact(text) !== text;
  const isKept = lastHeartbeat !== undefined && !rules.isTime(lastHeartbeat.sentAtMs) && !holds(lastHeartbeat.text);
  return JSON.stringify({
    displayName: isNamed || holds(displayName) ? key : displayName,
    ...others,
    ...(isKept ? { lastHeartbeat } : {}),
  });
}
