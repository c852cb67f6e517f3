import type { AgentMessage, ModelClient } from "@factotum/agent-contract";
import { createFailoverClient } from "@factotum/models";
import type { FailoverSwitch } from "@factotum/models";
import type { ResolvedModel } from "../agents/model-source.ts";
import { chargedModel } from "../spend/charged-model.ts";
import type { SpendCause } from "../spend/spend-guard.ts";
import type { TurnServices } from "./turn-services.ts";

/** The model of one run: its fallbacks behind it, every call charged before it is sent. */
export interface RunModel {
  readonly client: ModelClient;
  /** What to tell the person when another model than the session's has answered, and did not in the turn before. */
  switchNotice(history: readonly AgentMessage[]): string | undefined;
}

/** Puts the model of a run together. */
export function createRunModel(
  models: { readonly model: ResolvedModel; readonly fallbacks: readonly ResolvedModel[] },
  cause: SpendCause,
  services: Pick<TurnServices, "clock" | "cooldowns" | "spend" | "logger">,
): RunModel {
  let last: FailoverSwitch | undefined;
  // A model without a fallback never rests: there is nobody to go to, and whoever has mended the key must not wait.
  if (models.fallbacks.length === 0)
    return { client: chargedModel(models.model.client, cause, services.spend), switchNotice: () => undefined };
  // One credential a provider is configured today; its name is for cooldowns and messages.
  const candidates = [models.model, ...models.fallbacks].map(({ client }) => ({ client, credential: "default" }));
  const client = createFailoverClient(candidates, {
    clock: services.clock,
    cooldowns: services.cooldowns,
    onSwitch: (change) => {
      last = change;
      services.logger.warn("Another model answers", {
        from: `${change.from.provider}/${change.from.model}`,
        to: `${change.to.provider}/${change.to.model}`,
        reasons: change.reasons,
      });
    },
  });
  return {
    client: chargedModel(client, cause, services.spend),
    switchNotice: (history) => {
      if (last === undefined || !last.modelChanged) return undefined;
      const { from, to, reasons } = last;
      const before = history.findLast((message) => message.role === "assistant");
      if (before?.provider === to.provider && before.model === to.model) return undefined;
      return `${to.provider}/${to.model} answered, because ${from.provider}/${from.model} could not (${reasons[0]?.reason ?? "it failed"}).`;
    },
  };
}
