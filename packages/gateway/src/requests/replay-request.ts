import type { AssistantMessage, ModelEvent, Clock, Random } from "@factotum/agent-contract";
import { ModelError, NO_USAGE } from "@factotum/agent-contract";
import type { ContextOutcome, ReplayDelta, ReplayResult } from "@factotum/protocol";
import type { LedgerStore, SessionStore, TranscriptStore, TurnStore } from "@factotum/store";
import { modelChain } from "./model-chain.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { Cooldowns } from "@factotum/models";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { Observer } from "../observe/observer.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";
import { toContextRequest, toRunUsage } from "./context-request.ts";
import { findRequest } from "./find-request.ts";
import type { RequestQuery } from "./find-request.ts";
import { rebuildRequest } from "./rebuild-request.ts";

/** Selects a request, and the model to send it to. */
export interface ReplayQuery extends RequestQuery {
  /** A reference or an alias; the model that answered originally if omitted. */
  readonly model?: string | undefined;
}

/** Dependencies of replays. */
export type ReplayParts = {
  readonly store: LedgerStore & SessionStore & TranscriptStore & TurnStore;
  readonly running: RunningConfig;
  readonly spend: SpendGuard;
  readonly hideSecrets: (text: string) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly cooldowns: Cooldowns;
  readonly observer: Observer;
  readonly hooks: HookRunner;
};

/** A piece of a replayed answer, as it streams. */
export type ReplayPiece = Omit<ReplayDelta, "replayId">;

/**
 * Sends a stored request again and streams the answer. Stores nothing in the conversation and runs no tool; the call is charged as a person's. A history that
 * cannot be rebuilt exactly is sent as it is now, and the result says so.
 */
export async function replayRequest(
  query: ReplayQuery,
  parts: ReplayParts,
  options: { readonly signal: AbortSignal; readonly onPiece: (piece: ReplayPiece) => void },
): Promise<ReplayResult> {
  const record = await findRequest(query, parts.store);
  const rebuilt = await rebuildRequest(record, parts.store);
  if (rebuilt === undefined) {
    throw new RpcError("not-found", "The prompt of this request was damaged on disk and is gone, so it cannot be sent again.");
  }
  const model = await resolveModel(query.model ?? record.model, parts);
  const turn = await parts.store.readTurn(record.turnId);
  const agentId = turn?.agentId ?? parts.running.agents.default.config.id;
  const cause = { agentId, kind: "user", sessionKey: turn?.sessionKey ?? "", owner: true } as const;
  const client = modelChain([model], cause, parts);
  const answer = await listen(client.stream(rebuilt.request, options), options.onPiece);
  return {
    request: toContextRequest(record, parts.hideSecrets),
    model: model.reference,
    exact: rebuilt.exact && model.reference === record.model,
    ...present(answer, parts.hideSecrets),
  };
}

/** Resolves the model of a replay. An unusable model is a request error whose message says what to set. */
async function resolveModel(reference: string, { running }: ReplayParts): Promise<ResolvedModel> {
  try {
    return await running.models.resolve(reference);
  } catch (error) {
    if (ModelError.isInstance(error)) throw new RpcError("invalid-request", error.message);
    throw error;
  }
}

interface Answer {
  readonly message: AssistantMessage | undefined;
  readonly outcome: ContextOutcome;
}

async function listen(events: AsyncIterable<ModelEvent>, onPiece: (piece: ReplayPiece) => void): Promise<Answer> {
  for await (const event of events) {
    if (event.type === "text-delta") onPiece({ block: "text", text: event.text });
    else if (event.type === "thinking-delta") onPiece({ block: "thinking", text: event.text });
    else if (event.type === "tool-call-start") onPiece({ block: "tool-call", text: event.name });
    else if (event.type === "message-end") {
      return { message: event.message, outcome: { type: "answered", stopReason: event.message.stopReason } };
    } else if (event.type === "message-failed") {
      const { code, message } = event.error;
      return { message: event.partial, outcome: { type: "failed", code, message } };
    }
  }
  return { message: undefined, outcome: { type: "failed", code: "truncated", message: "The model's answer broke off." } };
}

function present(
  { message, outcome }: Answer,
  hide: (text: string) => string,
): Pick<ReplayResult, "text" | "toolCalls" | "usage" | "outcome"> {
  const blocks = message?.content ?? [];
  return {
    text: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n"),
    toolCalls: blocks.flatMap((block) =>
      block.type === "toolCall" ? [{ name: block.name, argumentsText: JSON.stringify(block.arguments) }] : [],
    ),
    usage: toRunUsage(message?.usage ?? NO_USAGE),
    outcome: outcome.type === "answered" ? outcome : { ...outcome, message: hide(outcome.message) },
  };
}
