import { NO_USAGE } from "@factotum/agent-contract";
import type { AgentMessage, Clock, ModelClient, ModelRequest, ModelSampler, Random, SamplingOutcome } from "@factotum/agent-contract";
import type { Cooldowns } from "@factotum/models";
import type { Store } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { Observer } from "../observe/observer.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";
import { modelChain } from "./model-chain.ts";
import { callCause } from "./run-cause.ts";

/** The dependencies of writing for servers. */
export interface ConversationSamplerParts {
  readonly running: RunningConfig;
  readonly store: Pick<Store, "readInput" | "readSession" | "readTurn">;
  readonly spend: SpendGuard;
  readonly cooldowns: Cooldowns;
  readonly observer: Observer;
  readonly hooks: HookRunner;
  readonly clock: Clock;
  readonly random: Random;
}

const TIMEOUT_MS = 120_000;

type Options = Parameters<ModelSampler["sample"]>[1];
type Request = Parameters<ModelSampler["sample"]>[0];

/** Has the model of a conversation, or its fallbacks, write for servers. Tools are created before the parts that it works with. */
export class ConversationSampler implements ModelSampler {
  #connected: ConversationSamplerParts | undefined;

  connect(parts: ConversationSamplerParts): void {
    this.#connected = parts;
  }

  async sample(request: Request, { run, signal: outer }: Options): Promise<SamplingOutcome> {
    if (this.#connected === undefined) throw new Error("The gateway has not started yet.");
    const { running, store, spend, cooldowns, observer, hooks, clock, random } = this.#connected;
    const agent = running.agent(run.agentId);
    const override = (await store.readSession(run.sessionKey))?.overrides.model;
    using deadline = new RunDeadline(TIMEOUT_MS, { clock, outer });
    const { signal } = deadline;
    const models = [await agent.model(override), ...(await agent.fallbacks(override))];
    const client = modelChain(models, await callCause(run, store), { spend, cooldowns, observer, hooks, clock, random });
    for await (const event of client.stream(toModelRequest(request, client.info, clock.now()), { signal })) {
      if (event.type === "message-failed") {
        outer.throwIfAborted();
        return { type: "failed", message: signal.aborted ? `the model took longer than ${TIMEOUT_MS / 1_000} s` : event.error.message };
      }
      if (event.type !== "message-end") continue;
      const { content, provider, model, stopReason } = event.message;
      const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      return { type: "written", text, model: `${provider}/${model}`, isCut: stopReason === "length" };
    }
    return { type: "failed", message: "the answer broke off" };
  }
}

function toModelRequest({ systemPrompt, messages, maxOutputTokens }: Request, info: ModelClient["info"], timestamp: number): ModelRequest {
  const { api, provider, id: model } = info;
  return {
    system: { stable: systemPrompt, session: "" },
    messages: messages.map(({ role, text }): AgentMessage => {
      const content = [{ type: "text" as const, text }];
      return role === "user"
        ? { role, content, timestamp }
        : { role, content, api, provider, model, usage: NO_USAGE, stopReason: "stop", timestamp };
    }),
    tools: [],
    maxOutputTokens,
    cacheRetention: "none",
  };
}
