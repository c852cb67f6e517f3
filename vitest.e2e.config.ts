import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ROOT } from "./scripts/workspace.ts";

/**
 * The longest files, in the order of their durations, each a quarter of a minute or more on an idle machine. They start first, and short ones fill the rest: a
 * clean checkout has no durations of earlier runs, and file sizes say nothing about them.
 */
const LONGEST = [
  "chaos/e2e/kills",
  "factotum/e2e/lost-database",
  "factotum/e2e/doctor",
  "factotum/e2e/browser",
  "factotum/e2e/browser-processes",
  "factotum/e2e/browser-access",
  "factotum/e2e/documented-pages",
  "web/e2e/page",
  "chaos/e2e/mixed-events",
  "factotum/e2e/exec-limits",
  "web/e2e/rich-answers",
  "web/e2e/behaviour",
  "web/e2e/context",
  "web/e2e/attachments",
  "factotum/e2e/extensions",
  "web/e2e/warnings",
  "factotum/e2e/crashing-turn",
  "factotum/e2e/schedule-kills",
  "factotum/e2e/wire-formats",
  "factotum/e2e/unenforced-config",
  "factotum/e2e/feishu-conversation",
  "factotum/e2e/slack-conversation",
  "factotum/e2e/embeddings-local",
  "chaos/e2e/storage",
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
    // Compiled code of all products of the tests: a first start without it takes a quarter more CPU time.
    env: { NODE_COMPILE_CACHE: join(ROOT, "node_modules/.factotum/compiled") },
    // One more than the cores of the smallest machine on which they have to finish in time: they wait for processes, browsers and timeouts.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // They end what hangs; a busy machine must not reach them. A test says another number only where it is more.
    testTimeout: 300_000,
    expect: { poll: { timeout: 200_000 } },
    // A machine that stands still for seconds can break what a test measures against time limits of platforms; a fault fails twice.
    retry: process.env["CI"] === undefined ? 0 : 1,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
