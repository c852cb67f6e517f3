import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They take minutes, each of them most of one core: they begin together, and what is short fills up the rest. */
const LONGEST = ["kills.test.ts", "soak.test.ts"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.includes(basename(moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
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
    // One for each core of the smallest machine that has to run them in its time.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // They end what hangs; a busy machine must not reach them. A test says another number only where it is more.
    testTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
