import { describe, test } from "vitest";
import type { ConformanceOptions, ConformancePlatform } from "./platform.ts";
import { CONFORMANCE_REQUIREMENTS, proveRequirement } from "./run-conformance.ts";

/** Ends a case that hangs; a busy machine must not reach it. */
const TIMEOUT_MS = 60_000;

/**
 * Registers one test for every requirement. Call it at the top of an extension's `conformance.test.ts`, once for each transport. A requirement whose needs the
 * adapter does not declare, or whose platform does not have them, is shown as skipped.
 */
export function channelConformance<P extends ConformancePlatform>(name: string, options: ConformanceOptions<P>): void {
  // A case hands the platform back to `create` only as it came from `platform`.
  const erased = options as unknown as ConformanceOptions;
  describe(name, () => {
    test.for(CONFORMANCE_REQUIREMENTS)("$id: $behaviour", { timeout: TIMEOUT_MS * 3 }, async ({ id }, { skip }) => {
      const outcome = await proveRequirement(id, erased, { timeoutMs: TIMEOUT_MS });
      if (outcome.type === "failed") throw outcome.error;
      if (outcome.type === "not-needed") skip("not declared");
    });
  });
}
