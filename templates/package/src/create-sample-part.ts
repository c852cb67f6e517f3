import type { Clock } from "@factotum/agent-contract";

/** Replace this with the package's purpose: one thing, created by a function that takes its dependencies. */
export interface SamplePart {
  /** Milliseconds since it was made. */
  ageMs(): number;
}

/** Creates a part. It has no state outside itself. */
export function createSamplePart(deps: { readonly clock: Pick<Clock, "monotonic"> }): SamplePart {
  const madeAtMs = deps.clock.monotonic();
  return { ageMs: () => deps.clock.monotonic() - madeAtMs };
}
