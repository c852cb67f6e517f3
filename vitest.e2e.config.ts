import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ROOT } from "./scripts/workspace.ts";

/**
 * The longest files, in the order of their durations, each 20 seconds or more on two cores. They start first, and short ones fill the rest: a
 * clean checkout has no durations of earlier runs, and file sizes say nothing about them.
 */
const LONGEST = [
  "factotum/e2e/browser-processes",
  "factotum/e2e/web-tools",
  "chaos/e2e/mixed-events",
  "factotum/e2e/documented-pages",
  "factotum/e2e/lost-database",
  "factotum/e2e/browser",
  "factotum/e2e/plugins",
  "factotum/e2e/doctor",
  "chaos/e2e/kills",
  "factotum/e2e/exec-limits",
  "factotum/e2e/create-channel",
  "web/e2e/ten-tasks",
  "factotum/e2e/example-plugins",
  "web/e2e/every-page",
  "factotum/e2e/sandbox",
  "factotum/e2e/tool-server-kills",
  "factotum/e2e/extensions",
  "factotum/e2e/guest-sessions",
  "factotum/e2e/taint",
  "factotum/e2e/quiet-runs",
  "factotum/e2e/packed",
  "factotum/e2e/slack-conversation",
  "factotum/e2e/package-servers",
  "factotum/e2e/schedule-kills",
  "factotum/e2e/guest-turns",
  "chaos/e2e/storage",
  "factotum/e2e/external-agents",
  "factotum/e2e/wire-formats",
  "web/e2e/page",
  "factotum/e2e/mcp",
  "factotum/e2e/lost-restrictions",
  "factotum/e2e/feishu-conversation",
  "factotum/e2e/file-tools",
  "factotum/e2e/browser-access",
  "factotum/e2e/shutdown",
  "factotum/e2e/prefix",
  "factotum/e2e/approvals",
  "factotum/e2e/matrix-conversation",
  "factotum/e2e/unenforced-config",
  "factotum/e2e/irc-conversation",
  "factotum/e2e/memory",
  "factotum/e2e/crashing-turn",
  "factotum/e2e/bundles",
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
    env: {
      NODE_COMPILE_CACHE: join(ROOT, "node_modules/.factotum/compiled"),
      // The default of glibc. A gateway that finds it does not start again to configure the allocator, which takes a quarter of the CPU time of a start;
      // those that tests start with the command line do.
      MALLOC_TOP_PAD_: "131072",
    },
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
