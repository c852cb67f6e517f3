import type { RequestOutcome, RequestRecord, RequestSettings, RequestView } from "../../port/ledger-records.ts";
import type { NewRequest } from "../../port/ledger-store.ts";
import { decodePosition, encodeId } from "./sequence-id.ts";

/** The parts of a request without a column of their own. */
type RequestFacts = Omit<NewRequest, "promptHash" | "body" | "sentAtMs">;

/** The settings that the requests of a model share, stored once. The cache key is nearly always the session id, which the row has: it is encoded as 1. */
export type PackedProfile = readonly [
  model: string,
  credential: string | null,
  contextWindow: number,
  prunes: boolean,
  historyLimit: number | null,
  settings: Omit<RequestSettings, "cacheKey"> & { readonly cacheKey?: string | 1 },
];

/** A request's own values, by position: a thousand small turns take 4 MB in total. */
export type PackedRequest = readonly [
  number: number,
  lastEntry: number,
  count: number,
  digest: string,
  settledBeforeMs: number,
  causes: readonly string[],
  usage: readonly [input: number, output: number, cacheRead: number, cacheWrite: number, costUsd: number | null],
  outcome: string | readonly [code: string, message: string],
  durationMs: number,
];

/** The texts that a request is stored as. */
export function packRequest(facts: RequestFacts, sessionId: string): { readonly profile: string; readonly payload: string } {
  const { view, settings, usage, outcome } = facts;
  const profile: PackedProfile = [
    facts.model,
    facts.credential ?? null,
    view.contextWindow,
    view.prunes,
    view.historyLimit ?? null,
    settings.cacheKey === sessionId ? { ...settings, cacheKey: 1 } : settings,
  ];
  const payload: PackedRequest = [
    facts.number,
    // Entries are numbered from 1.
    facts.lastEntryId === "" ? 0 : decodePosition("e", facts.lastEntryId),
    facts.messages.count,
    facts.messages.digest,
    view.settledBeforeMs,
    facts.causes,
    [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.costUsd ?? null],
    outcome.type === "answered" ? outcome.stopReason : [outcome.code, outcome.message],
    facts.durationMs,
  ];
  return { profile: JSON.stringify(profile), payload: JSON.stringify(payload) };
}

/** The request, after a checksum has verified both texts. */
export function unpackRequest(profile: PackedProfile, payload: PackedRequest, sessionId: string): RequestFacts {
  const [model, credential, contextWindow, prunes, historyLimit, settings] = profile;
  const [number, lastEntry, count, digest, settledBeforeMs, causes, usage, outcome, durationMs] = payload;
  const view: RequestView = { settledBeforeMs, contextWindow, prunes, ...(historyLimit === null ? {} : { historyLimit }) };
  return {
    number,
    lastEntryId: encodeId("e", lastEntry),
    messages: { count, digest },
    view,
    model,
    ...(credential === null ? {} : { credential }),
    settings: unpackSettings(settings, sessionId),
    causes,
    usage: unpackUsage(usage),
    outcome: unpackOutcome(outcome),
    durationMs,
  };
}

function unpackSettings({ cacheKey, ...settings }: PackedProfile[5], sessionId: string): RequestSettings {
  return cacheKey === undefined ? settings : { ...settings, cacheKey: cacheKey === 1 ? sessionId : cacheKey };
}

function unpackUsage([input, output, cacheRead, cacheWrite, costUsd]: PackedRequest[6]): RequestRecord["usage"] {
  const total = input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, total, ...(costUsd === null ? {} : { costUsd }) };
}

function unpackOutcome(outcome: PackedRequest[7]): RequestOutcome {
  if (typeof outcome === "string") return { type: "answered", stopReason: outcome };
  const [code, message] = outcome;
  return { type: "failed", code, message };
}
