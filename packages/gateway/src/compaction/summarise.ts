import { createHash } from "node:crypto";
import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, ModelClient, ModelRequest, Random } from "@factotum/agent-contract";
import { summarisePlan } from "@factotum/agent-core";
import type { CompactionPlan } from "@factotum/agent-core";
import type { Cooldowns } from "@factotum/models";
import { LRUCache } from "lru-cache";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import { modelChain } from "../requests/model-chain.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { Observer } from "../observe/observer.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";
import type { SpawnBook } from "../subagents/spawn-book.ts";
import { RunDeadline } from "../queue/run-deadline.ts";

/** Time limit of all summarising. Finished parts are kept for the next attempt (R9). */
const TIME_BUDGET_MS = 120_000;
/** Cached summaries of chunks for another attempt, over all sessions, and their characters. */
const MAX_KEPT_SUMMARIES = 500;
const MAX_KEPT_CHARS = 4 * 1024 * 1024;

/** The dependencies of summaries. */
export interface SummariserOptions {
  readonly running: RunningConfig;
  readonly spend: SpendGuard;
  readonly subagents: { readonly book: Pick<SpawnBook, "treeOf"> };
  readonly cooldowns: Cooldowns;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: Observer;
  readonly hooks: HookRunner;
  readonly logger: Logger;
}

/** The input of a summary. */
export interface SummaryRequest {
  readonly sessionKey: string;
  readonly plan: CompactionPlan;
  /** The person's instructions for the summary. */
  readonly instructions: string | undefined;
  /** Window of the session's model, in tokens: the summary has to fit there. */
  readonly window: number;
}

/** A summarising model. */
export interface Summariser {
  /** The model that is asked first. */
  readonly reference: string;
  readonly client: ModelClient;
}

/** Summarises the older part of conversations by models, in chunks whose summaries are reused if an attempt breaks off (R9). */
export class Summaries {
  readonly #options: SummariserOptions;
  readonly #kept = new LRUCache<string, string>({ max: MAX_KEPT_SUMMARIES, maxSize: MAX_KEPT_CHARS });

  constructor(options: SummariserOptions) {
    this.#options = options;
  }

  /** The configured summary model, and as its fallback the session's own (R9). */
  async summariser(agent: AgentRuntime, sessionModel: ResolvedModel, sessionKey: string): Promise<Summariser> {
    const own = await this.#ownModel(agent);
    const model = own ?? sessionModel;
    const models = own === undefined || own.reference === sessionModel.reference ? [model] : [own, sessionModel];
    const tree = this.#options.subagents.book.treeOf(sessionKey);
    const cause = { agentId: agent.config.id, kind: "compaction", sessionKey, owner: true, ...withoutUndefined({ tree }) } as const;
    return { reference: model.reference, client: modelChain(models, cause, this.#options) };
  }

  /** The summary; `undefined` if no model provides one in time. Rejects if the signal fires, except for a run that has timed out. */
  async summarise(
    { plan, instructions, window, sessionKey }: SummaryRequest,
    model: ModelClient,
    outer: AbortSignal,
  ): Promise<string | undefined> {
    const { clock, logger } = this.#options;
    using deadline = new RunDeadline(TIME_BUDGET_MS, { clock, outer });
    const { signal } = deadline;
    try {
      return await summarisePlan(plan, {
        ask: async (request) => this.#ask(model, request, signal),
        summariserWindow: model.info.contextWindow,
        window,
        instructions,
        now: () => clock.now(),
      });
    } catch (error) {
      if (!(error instanceof SummaryFailure)) throw error;
      // A stop by a person or a shutdown must not cause a cut by rule. A turn that has timed out leaves its room to the next.
      if (!RunDeadline.caused(outer)) outer.throwIfAborted();
      logger.warn("The conversation could not be summarised", { sessionKey, detail: error.message });
      return undefined;
    }
  }

  /** An unusable model must not block a conversation. */
  async #ownModel({ config }: AgentRuntime): Promise<ResolvedModel | undefined> {
    if (config.compaction.model === undefined) return undefined;
    try {
      return await this.#options.running.models.resolve(config.compaction.model);
    } catch (error) {
      if (!ModelError.isInstance(error)) throw error;
      const { logger } = this.#options;
      logger.warn("The model for summaries cannot be used; the session's own writes them", { agent: config.id, detail: error.message });
      return undefined;
    }
  }

  /** One summary; identical requests are shared. */
  async #ask(model: ModelClient, request: PlainRequest, signal: AbortSignal): Promise<string> {
    const asked = request.messages.map(({ content }) => content);
    const key = createHash("sha256")
      .update(JSON.stringify([model.info.provider, model.info.id, asked]))
      .digest("hex");
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const text = await readAnswer(model, request, signal);
    this.#kept.set(key, text, { size: text.length });
    return text;
  }
}

type PlainRequest = Pick<ModelRequest, "system" | "messages" | "tools">;

/** A summariser that gave no summary. */
class SummaryFailure extends Error {}

async function readAnswer(model: ModelClient, request: PlainRequest, signal: AbortSignal): Promise<string> {
  for await (const event of model.stream({ ...request, cacheRetention: "none" }, { signal })) {
    if (event.type === "message-failed") throw new SummaryFailure(event.error.message, { cause: event.error });
    if (event.type !== "message-end") continue;
    const text = event.message.content
      .flatMap((block) => (block.type === "text" ? [block.text] : []))
      .join("\n")
      .trim();
    if (text === "") throw new SummaryFailure("the summariser said nothing");
    return text;
  }
  throw new SummaryFailure("the summariser's answer broke off");
}
