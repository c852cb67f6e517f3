import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger, Random, Clock, AgentMessage, ModelClient } from "@factotum/agent-contract";
import type { Cooldowns, FailoverSwitch } from "@factotum/models";
import { clampThinking, noThoughtsNote } from "@factotum/models";
import type { Observer } from "../observe/observer.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";
import { modelChain, type ModelCause } from "../requests/model-chain.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import { RequestRecorder } from "../requests/request-recorder.ts";
import type { RequestRecorderOptions } from "../requests/request-recorder.ts";
import { credentialProfile } from "../requests/session-credential.ts";
import type { LanePlace } from "../queue/lane-place.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import type { PromptCause } from "../prompt/prompt-cause.ts";

/** The model chain of one run: with fallbacks, and every call charged before it is sent. */
export interface RunModel {
  readonly client: ModelClient;
  /** Recorder of its requests. */
  readonly requests: RequestRecorder;
  /** The notice that another model than the session's answered, unless it did so in the previous turn too. */
  switchNotice(history: readonly AgentMessage[]): string | undefined;
  /** The new credential profile for the session, if another credential than the session's answered for its model. */
  changedProfile(): string | undefined;
}

/** What is recorded with the requests of a run, apart from their models. */
type KeptRequests = Omit<RequestRecorderOptions, "model" | "credentialOf" | "clock">;

/** What a run gives to its models. */
interface RunHooks {
  readonly place: LanePlace;
  /** Withdraws the text of a failed request, so that it can be sent again; false if it was shown. */
  readonly withdrawText?: () => boolean;
}

/** Dependencies of run models. */
export interface RunModelOptions {
  readonly cooldowns: Cooldowns;
  readonly spend: SpendGuard;
  readonly observer: Observer;
  readonly hooks: HookRunner;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Creates the model chain of a run. */
export function createRunModel(
  models: { readonly model: ResolvedModel; readonly fallbacks: readonly ResolvedModel[] },
  cause: ModelCause,
  options: RunModelOptions,
  { place, withdrawText, ...kept }: KeptRequests & RunHooks,
): RunModel {
  const { model, fallbacks } = models;
  const { clock, random, cooldowns, observer, hooks, spend } = options;
  const asked = new Map([...fallbacks, model].map(({ reference, credential }) => [reference, credential]));
  const requests = new RequestRecorder({ ...kept, model: model.reference, credentialOf: (reference) => asked.get(reference), clock });
  let last: FailoverSwitch | undefined;
  const client = modelChain([model, ...fallbacks], cause, {
    clock,
    random,
    cooldowns,
    observer,
    hooks,
    spend,
    place,
    requests,
    ...withoutUndefined({ withdrawText }),
    onAnswer: ({ provider, model: id, credential }) => {
      const reference = `${provider}/${id}`;
      if (asked.get(reference) !== undefined) asked.set(reference, credential);
    },
    onSwitch: (change) => {
      if (change.modelChanged) last = change;
      options.logger.warn(change.modelChanged ? "Another model answers" : "Another credential answers", {
        from: nameOf(change.from),
        to: nameOf(change.to),
        reasons: change.reasons,
      });
    },
  });
  return {
    client,
    requests,
    switchNotice: (history) => {
      if (last === undefined) return undefined;
      const { from, to, reasons } = last;
      const before = history.findLast((message) => message.role === "assistant");
      if (before?.provider === to.provider && before.model === to.model) return undefined;
      return `${to.provider}/${to.model} answered, because ${from.provider}/${from.model} could not (${reasons[0]?.reason ?? "it failed"}).`;
    },
    changedProfile: () => {
      const credential = asked.get(model.reference);
      return credential === undefined || credential === model.credential
        ? undefined
        : credentialProfile(model.client.info.provider, credential);
    },
  };
}

/** Causes that can change the effective thinking level. */
const LEVEL_CAUSES: ReadonlySet<string> = new Set<PromptCause>(["new-session", "config-change", "model-change"]);

/** The notice that the model does not support the configured thinking level, in the first turn to which that applies. */
export function thinkingTranscriptNotice({ request, model, kept, display }: PreparedTurn): string | undefined {
  const { thinking } = request.settings;
  if (display.isThinkingAsked || thinking === undefined || !kept.causes.some((cause) => LEVEL_CAUSES.has(cause))) return undefined;
  return clampThinking(model.client.info, thinking).note;
}

/** The notice that the model does not support the level that this message asks for; it goes with the reply, because the sender reads that. */
export function thinkingReplyNotice({ request, model, display }: PreparedTurn): string | undefined {
  const { thinking } = request.settings;
  return !display.isThinkingAsked || thinking === undefined ? undefined : clampThinking(model.client.info, thinking).note;
}

/** Why the thoughts that this message asks for cannot be shown. */
export function thoughtsReplyNotice({ request, model, display }: PreparedTurn): string | undefined {
  return display.areThoughtsAsked ? noThoughtsNote(model.client.info, request.settings.thinking) : undefined;
}

function nameOf({ provider, model, credential }: FailoverSwitch["from"]): string {
  return `${provider}/${model} (${credential})`;
}
