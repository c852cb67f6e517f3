import { describe, test } from "vitest";
import type { ConformanceOptions, ConformancePlatform } from "./platform.ts";
import { CONFORMANCE_REQUIREMENTS, proveRequirement } from "./run-conformance.ts";

/** Ends a case that hangs; higher than a busy machine needs. */
const TIMEOUT_MS = 60_000;

/**
 * Registers one test per requirement. Call it at the top level of an extension's `conformance.test.ts`, once for each transport. A requirement is skipped if
 * the adapter does not declare its needs, the platform lacks them, or it is excluded.
 */
export function channelConformance<P extends ConformancePlatform>(name: string, options: ConformanceOptions<P>): void {
  // The platform that a case passes to `create` always comes from `platform`.
  const erased = options as unknown as ConformanceOptions;
  const excluded = options.excluded ?? {};
  describe(name, () => {
    test("excludes at most a third of the requirements, each with a reason", ({ expect }) => {
      const ids = CONFORMANCE_REQUIREMENTS.map(({ id }) => id);
      expect(Object.keys(excluded).filter((id) => !ids.includes(id))).toEqual([]);
      expect(Object.values(excluded).filter((reason) => reason.trim() === "")).toEqual([]);
      expect(Object.keys(excluded).length).toBeLessThanOrEqual(ids.length / 3);
    });
    test.for(CONFORMANCE_REQUIREMENTS)("$id: $behaviour", { timeout: TIMEOUT_MS * 3 }, async ({ id }, { skip }) => {
      if (id in excluded) skip(`excluded: ${excluded[id]}`);
      const outcome = await proveRequirement(id, erased, { timeoutMs: TIMEOUT_MS });
      if (outcome.type === "failed") throw outcome.error;
      if (outcome.type === "not-needed") skip(`not provided: ${outcome.missing.join(", ")}`);
    });
  });
}
