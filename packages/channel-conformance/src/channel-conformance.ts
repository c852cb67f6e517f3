import { describe, test } from "vitest";
import type { ConformanceOptions, ConformancePlatform } from "./platform.ts";
import { CONFORMANCE_REQUIREMENTS, proveRequirement } from "./run-conformance.ts";

/** Ends a case that hangs; higher than a busy machine needs. */
const TIMEOUT_MS = 60_000;

/**
 * Registers one test per requirement. Call it at the top level of an extension's `conformance.test.ts`, once for each transport. A requirement is skipped if
 * the adapter does not declare its needs or the platform lacks them.
 */
export function channelConformance<P extends ConformancePlatform>(name: string, options: ConformanceOptions<P>): void {
  // The platform that a case passes to `create` always comes from `platform`.
  const erased = options as unknown as ConformanceOptions;
  describe(name, () => {
    test.for(CONFORMANCE_REQUIREMENTS)("$id: $behaviour", { timeout: TIMEOUT_MS * 3 }, async ({ id }, { skip }) => {
      const outcome = await proveRequirement(id, erased, { timeoutMs: TIMEOUT_MS });
      if (outcome.type === "failed") throw outcome.error;
      if (outcome.type === "not-needed") skip("not declared");
    });
  });
}
