import type { ModelClient } from "@factotum/agent-contract";

/** One way to ask a model: with one of its provider's credentials. */
export interface ModelCandidate {
  readonly client: ModelClient;
  /** Name of the credential or where its key came from; never the key. Absent for a model without one. */
  readonly credential?: string;
}

/** A model that can be talked to. `client` and `credential` are those of the credential that is asked first. */
export interface ResolvedModel extends ModelCandidate {
  /** `provider/model`, as it stands in the prompt and in lists. */
  readonly reference: string;
  /** Every credential in the order in which they are asked; the first is the one above. */
  readonly candidates: readonly ModelCandidate[];
}

/** Finds models by reference. */
export interface ModelSource {
  /**
   * The model of a reference, an alias, or the default for `undefined`. The same client for the same reference, while it is used. Rejects with a `ModelError` whose
   * message says what to set.
   */
  resolve(reference: string | undefined): Promise<ResolvedModel>;
  /** The reference that `resolve(undefined)` would find, and why, without loading anything. */
  defaultModel(): Promise<{ readonly reference: string; readonly reason: string }>;
  /** For people: what to change about the server of a model, asked now; `undefined` when nothing is known to be wrong. Never rejects. */
  serverNote(model: ResolvedModel): Promise<string | undefined>;
}
