import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They take minutes: the first two, each of them most of one core, begin together, the others of their kind follow, and what is short fills up the rest. */
const LONGEST = ["kills.test.ts", "soak.test.ts", "storage.test.ts", "same-event.test.ts"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = moduleId.includes("/apps/chaos/") ? LONGEST.indexOf(basename(moduleId)) : -1;
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
