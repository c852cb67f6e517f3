import type { ModelClient } from "@factotum/agent-contract";
import type { MediaConnection } from "@factotum/models";

/** A model with one of its provider's credentials. */
export interface ModelCandidate {
  readonly client: ModelClient;
  /** Name of the credential or of its source; never the key. Absent for a model without one. */
  readonly credential?: string;
}

/** A usable model. `client` and `credential` are those of the first credential. */
export interface ResolvedModel extends ModelCandidate {
  /** `provider/model`, as shown in the prompt and in lists. */
  readonly reference: string;
  /** Every credential, in the order they are tried; the first is the one above. */
  readonly candidates: readonly ModelCandidate[];
}

/** Finds models by reference. */
export interface ModelSource {
  /**
   * The model of a reference, an alias, or the default for `undefined`. The same client for the same reference, while it is used. Rejects with a `ModelError`
   * whose message says what to set.
   */
  resolve(reference: string | undefined): Promise<ResolvedModel>;
  /** The reference that `resolve(undefined)` would find, and why, without loading anything. */
  defaultModel(): Promise<{ readonly reference: string; readonly reason: string }>;
  /** How to reach a model that takes or makes media, which need not be one for conversations. Rejects like `resolve`. */
  mediaConnection(reference: string): Promise<MediaConnection>;
  /** For users: what to change about a model's server, checked now; `undefined` if no problem is known. Never rejects. */
  serverNote(model: ResolvedModel): Promise<string | undefined>;
}
