import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, ModelErrorCode, ModelRequest, Random } from "@factotum/agent-contract";
import type { Cooldowns } from "@factotum/models";
import type { ModelTest, SetupCheck } from "@factotum/protocol";
import { externalAgentOf } from "../agents/external-agent.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { Observer } from "../observe/observer.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";
import { toRunUsage } from "./context-request.ts";
import { modelChain } from "./model-chain.ts";

/** How long a model is waited for, with its retries. */
const LIMIT_MS = 60_000;

/** Tokens; enough for a model that thinks before it answers. */
const MAX_ANSWER_TOKENS = 1024;

/** Dependencies of tests. */
export interface TestModelParts {
  readonly running: RunningConfig;
  readonly spend: SpendGuard;
  readonly clock: Clock;
  readonly random: Random;
  readonly cooldowns: Cooldowns;
  readonly observer: Observer;
  readonly hooks: HookRunner;
  readonly hideSecrets: (text: string) => string;
  /** The calls that are free of charge. */
  readonly check: (
    target: { readonly provider: string; readonly model: string },
    options: { readonly signal: AbortSignal },
  ) => Promise<SetupCheck>;
}

/**
 * Tests a model by the free calls of its provider and then by one short question, charged as a person's. The result is for people, also if the model cannot be
 * used. Rejects with an `RpcError` for an external agent, and if `signal` fires during the free calls.
 */
export async function testModel(
  written: string | undefined,
  parts: TestModelParts,
  { signal }: { readonly signal: AbortSignal },
): Promise<ModelTest> {
  const { running, hideSecrets } = parts;
  const named = written ?? (await running.models.defaultModel()).reference;
  if (externalAgentOf(named) !== undefined)
    throw new RpcError("invalid-request", "An external agent only answers the messages of its conversation. Send it one.");
  let model: ResolvedModel;
  try {
    model = await running.models.resolve(written);
  } catch (error) {
    if (!ModelError.isInstance(error)) throw error;
    const type = error.code === "unauthorized" ? "missing-key" : typeOf(error.code);
    return { model: named, type, message: hideSecrets(error.message) };
  }
  const { provider, id } = model.client.info;
  const check = await parts.check({ provider, model: id }, { signal });
  if (check.type !== "works") return { model: model.reference, type: check.type, message: hideSecrets(check.message) };
  return askOnce(model, parts, { signal });
}

async function askOnce(model: ResolvedModel, parts: TestModelParts, { signal }: { readonly signal: AbortSignal }): Promise<ModelTest> {
  const { running, clock, hideSecrets } = parts;
  const late = new AbortController();
  using _limit = clock.schedule(LIMIT_MS, () => late.abort());
  const startedAtMs = clock.monotonic();
  const sinceMs = (): number => Math.round(clock.monotonic() - startedAtMs);
  const cause = { agentId: running.agents.default.config.id, kind: "user", sessionKey: "", owner: true } as const;
  let firstTokenMs: number | undefined;
  const options = { signal: AbortSignal.any([signal, late.signal]) };
  for await (const event of modelChain([model], cause, parts).stream(question(clock.now()), options)) {
    if (event.type === "text-delta" || event.type === "thinking-delta") firstTokenMs ??= sinceMs();
    if (event.type === "message-end" || event.type === "message-failed") {
      const usage = event.type === "message-end" ? event.message.usage : event.partial?.usage;
      const measured = { durationMs: sinceMs(), ...withoutUndefined({ firstTokenMs, usage: usage && toRunUsage(usage) }) };
      const verdict =
        event.type === "message-end" ? answered(model.reference) : refused(model, event.error, { isLate: late.signal.aborted });
      return { model: model.reference, ...verdict, message: hideSecrets(verdict.message), ...measured };
    }
  }
  return { model: model.reference, type: "failed", message: `The answer of ${model.reference} broke off. Try again.` };
}

function question(timestamp: number): ModelRequest {
  return {
    system: { stable: "You are asked whether you can be reached. Answer with one word.", session: "" },
    messages: [{ role: "user", content: [{ type: "text", text: "Can you be reached?" }], timestamp }],
    tools: [],
    maxOutputTokens: MAX_ANSWER_TOKENS,
  };
}

function answered(reference: string): Pick<ModelTest, "type" | "message"> {
  return { type: "works", message: `${reference} has answered.` };
}

function refused(
  { reference }: ResolvedModel,
  { code, message }: ModelError,
  { isLate }: { readonly isLate: boolean },
): Pick<ModelTest, "type" | "message"> {
  // It thought for as long as it may.
  if (code === "output-limit") return answered(reference);
  if (isLate)
    return {
      type: "unreachable",
      message: `${reference} has not answered within ${LIMIT_MS / 1000} s. Try again, or choose another model.`,
    };
  return { type: typeOf(code), message };
}

function typeOf(code: ModelErrorCode): ModelTest["type"] {
  switch (code) {
    case "unauthorized":
      return "refused-key";
    case "billing":
      return "no-credit";
    case "not-found":
      return "unknown-model";
    case "invalid-request":
    case "context-overflow":
      return "unusable-model";
    case "rate-limited":
    case "overloaded":
      return "rate-limited";
    case "unreachable":
    case "timeout":
      return "unreachable";
    case "refused":
    case "filtered":
    case "truncated":
    case "output-limit":
    case "server":
    case "budget":
    case "denied":
    case "aborted":
      return "failed";
  }
}
