import { ModelError, NO_USAGE, type TextEmbeddings } from "@factotum/agent-contract";
import { estimateTokens } from "@factotum/agent-core";
import { embedTexts } from "@factotum/models";
import type { RunningConfig } from "../../agents/running-config.ts";
import type { SpendGuard } from "../../spend/spend-guard.ts";

/** The dependencies of embedding texts for the memory. */
export interface TextEmbeddingsOptions {
  readonly running: RunningConfig;
  readonly spend: Pick<SpendGuard, "reserve">;
}

/** Embeds texts with the model of `memory.embeddings`, and charges each request to the cause `memory` of the agent. Has no time limit but the signal. */
export function createTextEmbeddings({ running, spend }: TextEmbeddingsOptions): TextEmbeddings {
  return {
    model: () => running.config.memory.embeddings?.model,
    embed: async (texts, { model, agentId, signal }) => {
      signal.throwIfAborted();
      const connection = await running.models.mediaConnection(model);
      const expected = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
      const reservation = await spend.reserve({ agentId, kind: "memory" }, expected);
      if (reservation.type === "refused") {
        const { message, retryAfterMs: delayMs } = reservation;
        throw new ModelError("budget", message, { retry: delayMs === undefined ? { type: "never" } : { type: "after", delayMs } });
      }
      let usage = NO_USAGE;
      try {
        const embedded = await embedTexts(connection, { texts }, { signal });
        ({ usage } = embedded);
        return embedded.vectors;
      } finally {
        reservation.settle(usage);
      }
    },
  };
}
