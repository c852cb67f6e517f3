import type { ModelClient } from "@factotum/agent-contract";

/** A model that can be talked to. */
export interface ResolvedModel {
  /** `provider/model`, as it stands in the prompt and in lists. */
  readonly reference: string;
  readonly client: ModelClient;
  /** Where its key came from, for reports; never the key. Absent for a model without one. */
  readonly credential?: string;
}

/** Finds models by reference. */
export interface ModelSource {
  /**
   * The model of a reference, an alias, or the default for `undefined`. The same client for the same reference. Rejects with a `ModelError` whose
   * message says what to set.
   */
  resolve(reference: string | undefined): Promise<ResolvedModel>;
  /** The reference that `resolve(undefined)` would find, and why, without loading anything. */
  defaultModel(): Promise<{ readonly reference: string; readonly reason: string }>;
}
