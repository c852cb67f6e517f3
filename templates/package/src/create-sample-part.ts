import type { Clock } from "@factotum/agent-contract";

/** Replace it by what the package is for: one thing, made by a function, whose surroundings are arguments. */
export interface SamplePart {
  /** Milliseconds since it was made. */
  ageMs(): number;
}

/** Makes a part. It keeps nothing outside itself. */
export function createSamplePart(deps: { readonly clock: Pick<Clock, "monotonic"> }): SamplePart {
  const madeAtMs = deps.clock.monotonic();
  return { ageMs: () => deps.clock.monotonic() - madeAtMs };
}
