import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, type CommandOutcome } from "@factotum/testing-product";
import type { JsonObject } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { packPlugin } from "../test/plugin-package.ts";
import { startMcpScene } from "./mcp-scene.ts";

let [folder, home] = ["", ""];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-plugin-hooks-"));
  home = join(folder, "home");
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const run = async (...args: readonly string[]): Promise<CommandOutcome> => runCommand(args, { home, env: { npm_config_offline: "true" } });

const OBSERVED = ["after_model_call", "session_start", "session_end", "before_compaction", "after_compaction"];
const ENTRY = `export const plugin = {
  id: "watcher",
  setup(api) {
    for (const name of ${JSON.stringify(OBSERVED)})
      api.hook(name, (said) => api.logger.info("saw " + name + " " + [said.model, said.stopReason, said.usage?.total > 0, said.reason].join(" ")));
    api.hook("before_model_call", ({ provider, model }) => (api.config.word === model ? { deny: "Not " + provider + "." } : undefined));
  },
};`;
const PROVIDES = [
  {
    type: "hooks",
    configSchema: "./config.json",
    hooks: [...OBSERVED, "before_model_call"].map((name) => ({ name })),
  },
];

describe("hooks of model calls and conversations in the built product", { timeout: 150_000 }, () => {
  test.each([false, true])("observe and deny, trusted: %s", async (trusted) => {
    await run("plugins", "add", await packPlugin(folder, { id: "watcher", provides: PROVIDES, entry: ENTRY }), "--yes");
    const settings = (more: JsonObject): JsonObject => ({ plugins: { entries: { watcher: { trusted, ...more } } } });
    await using scene = await startMcpScene({}, { home, settings: settings({}) });
    const say = async (text: string): Promise<CommandOutcome> => run("agent", "--message", text);
    expect(await say("hello")).toMatchObject({ code: 0, stdout: "Done.\n" });
    await expect.poll(() => scene.product.output()).toContain("saw after_model_call claude-sonnet-4-6 stop true");
    expect(await run("sessions", "reset", "agent:main:main")).toMatchObject({ code: 0 });
    await expect.poll(() => scene.product.output()).toMatch(/saw session_end +false reset/);
    await scene.product.end("SIGTERM");
    await using strict = await startMcpScene({}, { home, settings: settings({ config: { word: "claude-sonnet-4-6" } }) });
    const denied = await say("hello");
    expect(denied.code).not.toBe(0);
    expect(denied.stdout + denied.stderr).toContain(
      "anthropic/claude-sonnet-4-6 was not asked. Rule of the plugin watcher: Not anthropic.",
    );
    expect(strict.product.output()).not.toContain("saw after_model_call");
  });

  test("a command denies model calls by exit code 2", async () => {
    const command = ["sh", "-c", "echo 'Not at night.'; exit 2"];
    await using _scene = await startMcpScene({}, { home, settings: { commandHooks: [{ event: "before_model_call", command }] } });
    const denied = await run("agent", "--message", "hello");
    expect(denied.stdout + denied.stderr).toContain("was not asked. Rule of the command sh (commandHooks[0]): Not at night.");
  });
});
