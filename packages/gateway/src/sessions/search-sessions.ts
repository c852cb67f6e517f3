import { setImmediate as nextTick } from "node:timers/promises";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock } from "@factotum/agent-contract";
import type { RpcMethods, SessionSearchResult, SessionTextHit, SessionTitleHit } from "@factotum/protocol";
import type { FoundEntry, SessionRecord, SessionStore, TranscriptStore } from "@factotum/store";
import { toChatEntry } from "../delivery/chat-entries.ts";
import type { SessionEvents } from "../events/session-events.ts";

const DEFAULT_LIMIT = 20;
/** Entries that are looked at before other work runs. */
const STEP = 200;
/** How long one request looks. */
const MAX_MS = 1000;
/** Newest sessions whose titles are looked at. */
const MAX_TITLES = 2000;
const TITLE_PAGE = 200;
const MAX_WORDS = 8;
/** Characters of a snippet before its first match, and in all. */
const LEAD = 60;
const SNIPPET = 240;

/** The dependencies of the search. */
export interface SearchParts {
  readonly store: Pick<SessionStore, "listSessions" | "readSession"> & Pick<TranscriptStore, "scanEntries">;
  readonly events: Pick<SessionEvents, "isHeld">;
  readonly clock: Clock;
}

/** Finds messages and titles with every word; see `sessions.search`. What clients are not shown is not searched. */
export async function searchSessions(
  { text, agentId, limit = DEFAULT_LIMIT, cursor }: RpcMethods["sessions.search"]["params"],
  parts: SearchParts,
): Promise<SessionSearchResult> {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS);
  const agent = agentId?.toLowerCase();
  const titles = cursor === undefined ? await searchTitles(words, agent, { limit, store: parts.store }) : [];
  return { titles, ...(await searchTexts(words, agent, { limit, cursor }, parts)) };
}

async function searchTitles(
  words: readonly string[],
  agentId: string | undefined,
  { limit, store }: { readonly limit: number; readonly store: SearchParts["store"] },
): Promise<readonly SessionTitleHit[]> {
  const hits: SessionTitleHit[] = [];
  let cursor: string | undefined;
  for (let read = 0; read < MAX_TITLES && hits.length < limit; read += TITLE_PAGE) {
    const page = await store.listSessions({ limit: TITLE_PAGE, ...withoutUndefined({ agentId, cursor }) });
    for (const record of page.items) {
      const title = titleOf(record);
      if (hits.length < limit && matchesOf(title, words) !== undefined)
        hits.push({ key: record.key, title, activeAtMs: record.updatedAtMs });
    }
    ({ cursor } = page);
    if (cursor === undefined) break;
    await nextTick();
  }
  return hits;
}

async function searchTexts(
  words: readonly string[],
  agentId: string | undefined,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  { store, events, clock }: SearchParts,
): Promise<Omit<SessionSearchResult, "titles">> {
  const startedAtMs = clock.monotonic();
  const sessions = new Map<string, SessionRecord | undefined>();
  const hits: SessionTextHit[] = [];
  let [before, searchedSinceMs] = [cursor, undefined as number | undefined];
  for (;;) {
    const step = await store.scanEntries({ words, scan: STEP, ...withoutUndefined({ before }) });
    searchedSinceMs = step.reachedMs ?? searchedSinceMs;
    for (const found of step.found) {
      if ((agentId !== undefined && found.agentId !== agentId) || (found.entry.turnId !== undefined && events.isHeld(found.entry.turnId)))
        continue;
      const hit = hitOf(found, words);
      if (hit === undefined) continue;
      if (!sessions.has(found.sessionKey)) sessions.set(found.sessionKey, await store.readSession(found.sessionKey));
      const session = sessions.get(found.sessionKey);
      // A conversation without a session is being deleted.
      if (session === undefined) continue;
      const isHidden = found.isHidden ? ({ isHidden: true } as const) : {};
      hits.push({ ...hit, title: titleOf(session), isCurrent: session.sessionId === found.entry.sessionId, ...isHidden });
      if (hits.length === limit) return { hits, cursor: found.entry.id, ...withoutUndefined({ searchedSinceMs: found.entry.timestampMs }) };
    }
    ({ before } = step);
    if (before === undefined) return { hits, ...withoutUndefined({ searchedSinceMs }) };
    if (clock.monotonic() - startedAtMs >= MAX_MS) return { hits, cursor: before, ...withoutUndefined({ searchedSinceMs }) };
    await nextTick();
  }
}

function hitOf({ entry, sessionKey }: FoundEntry, words: readonly string[]): Omit<SessionTextHit, "title" | "isCurrent"> | undefined {
  const shown = toChatEntry(entry);
  if (shown?.type !== "user" && shown?.type !== "assistant") return undefined;
  const matches = matchesOf(shown.text, words);
  if (matches === undefined) return undefined;
  const start = snippetStart(shown.text, matches[0]?.[0] ?? 0);
  const snippet = shown.text.slice(start, start + SNIPPET).replace(/[\ud800-\udbff]$/, "");
  return {
    key: sessionKey,
    sessionId: entry.sessionId,
    entryId: entry.id,
    ...withoutUndefined({ turnId: entry.turnId }),
    role: shown.type,
    timestampMs: entry.timestampMs,
    snippet,
    matches: matches
      .filter(([from, to]) => from >= start && to <= start + SNIPPET)
      .map(([from, to]): [number, number] => [from - start, to - start]),
  };
}

/** No snippet begins in the middle of a character. */
function snippetStart(text: string, match: number): number {
  const start = Math.max(0, match - LEAD);
  return start > 0 && (text.charCodeAt(start) & 0xfc00) === 0xdc00 ? start - 1 : start;
}

/** Where the words are, in order; `undefined` if one is not there. Lower case has the length of the text except in rare scripts, where nothing is marked. */
function matchesOf(text: string, words: readonly string[]): readonly (readonly [number, number])[] | undefined {
  const folded = text.toLowerCase();
  if (!words.every((word) => folded.includes(word))) return undefined;
  if (folded.length !== text.length) return [];
  const found = words.flatMap((word) => {
    const places: [number, number][] = [];
    for (let at = folded.indexOf(word); at !== -1 && places.length < 20; at = folded.indexOf(word, at + word.length))
      places.push([at, at + word.length]);
    return places;
  });
  return found.toSorted(([left], [right]) => left - right);
}

function titleOf({ label, displayName }: SessionRecord): string {
  return label ?? displayName;
}
