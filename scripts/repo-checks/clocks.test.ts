import { readFileSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../workspace.ts";

/** // Sources of code that runs in the gateway. Tests may use any clock. */
const sources = globSync(["packages/*/src/**/*.ts", "extensions/*/src/**/*.ts", "plugins/*/src/**/*.ts"], { cwd: ROOT }).filter(
  (file) => !file.endsWith(".test.ts") && !file.startsWith("packages/testing-") && !file.startsWith("packages/channel-conformance/"),
);

/** The files that have such a line. */
function filesWith(pattern: RegExp): Set<string> {
  return new Set(
    sources.filter((file) =>
      readFileSync(join(ROOT, file), "utf8")
        .split("\n")
        .some((line) => pattern.test(line)),
    ),
  );
}

/**
 * The wall clock can jump, so durations use the monotonic clock. Each of these lines was reviewed; a new one must be listed here with its reason, or use
 * `monotonic()`.
 */
const RECKONED = {
  "extensions/a2a/src/tasks/task-book.ts": "when a stored row expires, which outlives the process",
  "extensions/a2a/src/tasks/task-files.ts": "a time for the disk",
  "extensions/chat-sdk/src/state/state-adapter.ts": "times for the disk, and those that adapters see of locks",
  "extensions/discord/src/state/stored-rows.ts": "a time for the disk",
  "extensions/email/src/login/access-tokens.ts": "a time for the disk",
  "extensions/email/src/state/known-threads.ts": "a time for the disk",
  "extensions/email/src/state/send-marks.ts": "a time for the disk",
  "extensions/feishu/src/inbound/known-threads.ts": "a time for the disk",
  "extensions/feishu/src/outbound/card-streams.ts": "sequence numbers of a card that is as old as the disk says",
  "extensions/telegram/src/state/stored-rows.ts": "a time for the disk",
  "extensions/telegram/src/transport/stored-albums.ts": "a time for the disk",
  "packages/channel-kit/src/card-rows.ts": "a time for the disk",
  "packages/gateway/src/approvals/waiting-calls.ts": "a time for the disk",
  "packages/gateway/src/commands/approve.ts": "shown to a person",
  "packages/gateway/src/delivery/row-sender.ts": "a time for the disk; this process waits by the monotonic clock",
  "packages/gateway/src/delivery/streaming/block-stream.ts": "a time for the disk",
  "packages/gateway/src/delivery/streaming/preview-stream.ts": "a time for the disk",
  "packages/gateway/src/commands/status.ts": "shown to a person",
  "packages/gateway/src/agent-sessions/agents-sessions.ts": "activity is compared with the stored times of sessions",
  "packages/gateway/src/agents/resting-models.ts": "shown to a person",
  "packages/gateway/src/ingress/pairing-service.ts": "a code is as old as the disk says",
  "packages/gateway/src/requests/query-usage.ts": "the end of a period of stored times",
  "packages/gateway/src/schedule/daily-reviews.ts": "notes are as old as the disk says",
  "packages/gateway/src/schedule/job-runner.ts": "a time for the disk; this process waits by the monotonic clock",
  "packages/gateway/src/subagents/spawn-ends.ts": "a deadline is as old as the disk says",
  "packages/gateway/src/webhooks/webhook-intake.ts": "a time for the disk",
  "packages/gateway/src/schedule/scheduler.ts": "slots are of the wall clock",
  "packages/gateway/src/spend/spend-guard.ts": "shown to a person",
  "packages/gateway/src/sessions/session-service.ts": "a person asks for what was active lately",
  "packages/plugin-mcp/src/oauth/login-store.ts": "a time for the disk",
  "packages/plugin-mcp/src/oauth/server-logins.ts": "a token is as old as the disk says; one that is refused is renewed in any case",
};

test("durations are not measured with the wall clock, except where reviewed", () => {
  expect(sources.length).toBeGreaterThan(400);
  const found = filesWith(/\.now\(\)\)?\s*[-+<>]|(?<!=)[-+<>]=?\s*[\w.#]*[cC]lock[\w.#]*\.now\(\)/);
  expect(found).toEqual(new Set(Object.keys(RECKONED)));
});
