import type { RunFacts } from "./run.ts";

/** What a server wants written. */
export interface SamplingRequest {
  /** The server's own; empty for none. */
  readonly systemPrompt: string;
  /** At least one; the first and the last are the user's. */
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  /** Tokens. */
  readonly maxOutputTokens: number;
}

/** What came of it. */
export type SamplingOutcome =
  /** `model`: `provider/model`. `isCut`: it ended at the limit. */
  | { readonly type: "written"; readonly text: string; readonly model: string; readonly isCut: boolean }
  /** `message` is for the owner. */
  | { readonly type: "failed"; readonly message: string };

/** Has models write for servers of tools. Implemented by the gateway. */
export interface ModelSampler {
  /** Asks the model of the run's conversation, without its history and without tools; charged to the run. Rejects when the signal fires. */
  sample(request: SamplingRequest, options: { readonly run: RunFacts; readonly signal: AbortSignal }): Promise<SamplingOutcome>;
}
