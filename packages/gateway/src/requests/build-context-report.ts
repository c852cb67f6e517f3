import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import type { ModelCost } from "@factotum/agent-contract";
import { describeContext, diffContext } from "@factotum/agent-core";
import type { ContextDiff, ContextPart, ContextReport, ContextSection } from "@factotum/protocol";
import type { InboxStore, LedgerStore, RequestRecord, SessionStore, TranscriptStore, TurnStore } from "@factotum/store";
import { RpcError } from "../kernel/rpc-error.ts";
import { restingModels } from "../agents/resting-models.ts";
import type { Clock } from "@factotum/agent-contract";
import type { Cooldowns } from "@factotum/models";
import type { RunningConfig } from "../agents/running-config.ts";
import { askedText } from "./asked-text.ts";
import { toContextRequest } from "./context-request.ts";
import { findRequest } from "./find-request.ts";
import type { RequestQuery } from "./find-request.ts";
import { rereadTokens } from "./reread-cost.ts";
import { rebuildRequest } from "./rebuild-request.ts";
import type { RebuiltRequest } from "./rebuild-request.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** Maximum characters of one section in a report, and of all together. Longer sections were still sent whole. */
const MAX_SECTION_CHARS = 40_000;
const MAX_REPORT_CHARS = 600_000;
/** Maximum requests between the two compared ones whose causes are collected. */
const MAX_BETWEEN = 200;

/** Selects a request and the detail of its report. */
export interface ReportQuery extends RequestQuery {
  /** Compare with the last request of this turn, or with the previous request. */
  readonly diff?: number | "previous" | undefined;
  /** Include texts and not only sizes. */
  readonly texts?: boolean | undefined;
}

type ContextDescription = ReturnType<typeof describeContext>;

/** Dependencies of reports. */
export type ReportParts = {
  readonly store: LedgerStore & SessionStore & TranscriptStore & TurnStore & Pick<InboxStore, "readInput">;
  /** The prices of models. */
  readonly running: Pick<RunningConfig, "models">;
  readonly hideSecrets: (text: string) => string;
  readonly cooldowns: Cooldowns;
  readonly clock: Clock;
};

/** Reports what the model was given in one stored request. Known secrets are hidden in every text; images are reported by kind and size. */
export async function buildContextReport(query: ReportQuery, reader: ReportParts): Promise<ContextReport> {
  const record = await findRequest(query, reader.store);
  const rebuilt = await rebuildOrRefuse(record, reader);
  const description = describe(rebuilt);
  const earlier = await earlierRequest(record, query, reader);
  const { prompt } = rebuilt;
  const resting = restingModels(reader).filter(({ provider }) => record.model.startsWith(`${provider}/`));
  return {
    sessionKey: query.sessionKey,
    sessionId: record.sessionId,
    request: {
      ...toContextRequest(record, reader.hideSecrets),
      ...withoutUndefined({ asked: await askedText(record.turnId, reader.store, reader.hideSecrets) }),
    },
    exact: rebuilt.exact,
    contextWindow: record.view.contextWindow,
    prompt: { cause: prompt.cause, renderedAtMs: prompt.renderedAtMs },
    total: description.total,
    parts: presentParts(description.parts, query.texts === true, reader.hideSecrets),
    cutFiles: prompt.outline?.cutFiles ?? [],
    ...(earlier === undefined ? {} : { diff: await compare(earlier, record, description, reader) }),
    ...(resting.length === 0 ? {} : { resting }),
  };
}

async function rebuildOrRefuse(record: RequestRecord, { store }: ReportParts): Promise<RebuiltRequest> {
  const rebuilt = await rebuildRequest(record, store);
  if (rebuilt !== undefined) return rebuilt;
  throw new RpcError("not-found", "The prompt of this request was damaged on disk and is gone, so it cannot be shown.");
}

function describe({ request, prompt, promptIndex }: RebuiltRequest): ContextDescription {
  return describeContext({
    system: request.system,
    ...withoutUndefined({ outline: prompt.outline?.sections }),
    messages: request.messages,
    promptIndex,
    tools: request.tools,
  });
}

async function earlierRequest(record: RequestRecord, query: ReportQuery, { store }: ReportParts): Promise<RequestRecord | undefined> {
  if (query.diff === undefined) return undefined;
  if (query.diff !== "previous") return findRequest({ sessionKey: query.sessionKey, turn: query.diff }, store);
  const { items } = await store.listRequests({ sessionId: record.sessionId, before: record.id, limit: MAX_BETWEEN });
  return items.find(({ turnId, kind }) => turnId === record.turnId || !RUN_POLICY[kind].isAside);
}

async function compare(
  earlier: RequestRecord,
  record: RequestRecord,
  description: ContextDescription,
  reader: ReportParts,
): Promise<ContextDiff> {
  const difference = diffContext(describe(await rebuildOrRefuse(earlier, reader)), description);
  return {
    requestId: earlier.id,
    turn: earlier.turnNumber,
    request: earlier.number,
    causes: await causesBetween(earlier, record, reader),
    ...difference,
    changes: difference.changes.map((change) => ({ ...change, title: reader.hideSecrets(change.title) })),
    ...withoutUndefined({ reread: rereadTokens({ earlier, later: record, cost: await costOf(record.model, reader) }) }),
  };
}

/** The prices of a model; `undefined` if it cannot be used now. */
async function costOf(reference: string, { running }: ReportParts): Promise<ModelCost | undefined> {
  try {
    return (await running.models.resolve(reference)).client.info.cost;
  } catch (error) {
    if (ModelError.isInstance(error)) return undefined;
    throw error;
  }
}

/** The causes of all requests after the earlier one, up to and including this one. */
async function causesBetween(earlier: RequestRecord, record: RequestRecord, { store }: ReportParts): Promise<readonly string[]> {
  const { items } = await store.listRequests({ sessionId: record.sessionId, before: record.id, limit: MAX_BETWEEN });
  const between = items.filter(({ id }) => id > earlier.id).toReversed();
  return [...new Set([...between, record].flatMap(({ causes }) => causes))];
}

function presentParts(parts: ContextDescription["parts"], texts: boolean, hide: (text: string) => string): readonly ContextPart[] {
  let left = MAX_REPORT_CHARS;
  return parts.map((part) => ({
    ...part,
    sections: part.sections.map((section): ContextSection => {
      const { text: whole, sent: _sent, ...facts } = section;
      const shown = { ...facts, title: hide(section.title) };
      if (!texts) return shown;
      // Hide before truncating, so that no part of a secret is left at the end.
      const hidden = hide(whole);
      const text = hidden.slice(0, Math.min(left, MAX_SECTION_CHARS)).toWellFormed();
      left -= text.length;
      return { ...shown, text, ...(text.length === hidden.length ? {} : { omittedChars: hidden.length - text.length }) };
    }),
  }));
}
