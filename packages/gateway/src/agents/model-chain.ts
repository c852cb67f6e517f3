import type { ModelClient } from "@factotum/agent-contract";
import { createFailoverClient } from "@factotum/models";
import type { Cooldowns, FailoverOptions } from "@factotum/models";
import type { ResolvedModel } from "./model-source.ts";

/** The name in cooldowns and messages of a model that needs no credential. */
const NO_CREDENTIAL = "no key";

/** What a chain is made with. */
export interface ModelChainOptions extends FailoverOptions {
  readonly cooldowns: Cooldowns;
  /** Put around each client: it sees every try. */
  readonly wrap: (client: ModelClient) => ModelClient;
}

/**
 * One client over models in their order, each with all of its credentials before the next (R28). A single model with a single credential never rests:
 * there is nobody to go to, and whoever has mended the key must not wait. Throws a `TypeError` without models.
 */
export function modelChain(models: readonly ResolvedModel[], options: ModelChainOptions): ModelClient {
  const candidates = models.flatMap((model) =>
    model.candidates.map(({ client, credential = NO_CREDENTIAL }) => ({ client: options.wrap(client), credential })),
  );
  const [only, ...others] = candidates;
  return only !== undefined && others.length === 0 ? only.client : createFailoverClient(candidates, options);
}
