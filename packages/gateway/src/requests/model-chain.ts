import type { ModelClient } from "@factotum/agent-contract";
import { createFailoverClient, createRetryClient } from "@factotum/models";
import type { Cooldowns, FailoverOptions, RetryOptions } from "@factotum/models";
import { observedModel } from "../observe/observed-model.ts";
import type { Observer } from "../observe/observer.ts";
import { holdPlaceWhileAsking, OUTER_PLACE } from "../queue/lane-place.ts";
import type { LanePlace } from "../queue/lane-place.ts";
import { chargedModel, failureCountedModel } from "../spend/charged-model.ts";
import type { SpendCause, SpendGuard } from "../spend/spend-guard.ts";
import type { ResolvedModel } from "../agents/model-source.ts";

/** The name in cooldowns and messages of a model that needs no credential. */
const NO_CREDENTIAL = "no key";

/** What a chain is made with. */
export interface ModelChainOptions extends FailoverOptions, Pick<RetryOptions, "random"> {
  readonly cooldowns: Cooldowns;
  readonly spend: SpendGuard;
  readonly observer: Observer;
  /** Held during each try, and released in the pauses between tries. */
  readonly place?: LanePlace;
}

/**
 * One client over models in their order, each with all of its credentials before the next (R28). Every candidate is asked again when it fails for a
 * reason that passes; every try is charged to `cause` before it leaves, and measured. A single model with a single credential never rests: there is
 * nobody to go to, and whoever has mended the key must not wait. Throws a `TypeError` without models.
 */
export function modelChain(models: readonly ResolvedModel[], cause: SpendCause, options: ModelChainOptions): ModelClient {
  const { spend, observer, clock, random, place = OUTER_PLACE } = options;
  const candidates = models.flatMap((model) =>
    model.candidates.map(({ client, credential = NO_CREDENTIAL }) => {
      const charged = chargedModel(observedModel(client, cause, observer), cause, spend);
      const retrying = createRetryClient(holdPlaceWhileAsking(charged, place), {
        clock,
        random,
        onRetry: (retry) => observer.modelRetried(retry, cause),
      });
      return { client: retrying, credential };
    }),
  );
  const [only, ...others] = candidates;
  const chain = only !== undefined && others.length === 0 ? only.client : createFailoverClient(candidates, options);
  return failureCountedModel(chain, cause, spend);
}
