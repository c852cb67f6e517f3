import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The longest files, in the order of their durations, each a quarter of a minute or more on an idle machine. They start first, and short ones fill the rest: a
 * clean checkout has no durations of earlier runs, and file sizes say nothing about them.
 */
const LONGEST = [
  "chaos/e2e/kills",
  "chaos/e2e/mixed-events",
  "chaos/e2e/storage",
  "chaos/e2e/same-event",
  "factotum/e2e/doctor",
  "factotum/e2e/taint",
  "factotum/e2e/lost-database",
  "web/e2e/page",
  "factotum/e2e/lost-restrictions",
  "factotum/e2e/guest-sessions",
  "web/e2e/warnings",
  "web/e2e/context",
  "factotum/e2e/crashing-turn",
  "web/e2e/rich-answers",
  "factotum/e2e/feishu-conversation",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/apps/${name}.test.ts`));
      return place === -1 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

/** End-to-end tests: they drive the built product, each with a state directory, ports and counterparts of its own. */
export default defineConfig({
  resolve: { conditions: ["factotum-source"] },
  ssr: { resolve: { conditions: ["factotum-source"] } },
  test: {
    name: "e2e",
    include: ["apps/*/e2e/**/*.test.ts"],
    environment: "node",
    // No test file changes its process or a module, so files share what was loaded.
    isolate: false,
    // One more than the cores of the smallest machine on which they have to finish in time: they wait for processes, browsers and timeouts.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // They end what hangs; a busy machine must not reach them. A test says another number only where it is more.
    testTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
