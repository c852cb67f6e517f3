import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, type CommandOutcome } from "@factotum/testing-product";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { COUNTER_ENTRY, packPlugin } from "../test/plugin-package.ts";
import { startMcpScene } from "./mcp-scene.ts";
import type { Order } from "./obedient-model.ts";
import { processesBelow, stillRunning } from "./processes.ts";

let [folder, home] = ["", ""];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-plugins-"));
  home = join(folder, "home");
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const run = async (...args: readonly string[]): Promise<CommandOutcome> => runCommand(args, { home, env: { npm_config_offline: "true" } });
/** What an isolated plugin says taints its conversation, in which the next call would wait for the owner. */
const ANOTHER = "another";

describe("plugins in the built product", { timeout: 300_000 }, () => {
  test("a packed one is installed, used, updated and removed while the gateway runs, and nothing of it is left", async () => {
    const settings = { plugins: { entries: { counter: { config: { word: "sum" } } } } };
    await using scene = await startMcpScene({}, { home, settings });
    const { product, use } = scene;
    const added = await run("plugins", "add", await packPlugin(folder), "--yes");
    expect(added).toMatchObject({ code: 0, stdout: "counter 1.0.0 is installed.\n" });
    expect(added.stderr).toContain("counter 1.0.0 provides tools of counter (count).");
    expect(added.stderr).toContain("It runs in a process of its own");
    expect(await processesBelow(product.pid)).toEqual([]);
    const count = { name: "counter_count", arguments: { by: 20 } };
    expect(await use(count)).toContain("sum 20");
    const below = await processesBelow(product.pid);
    expect(below.length).toBeGreaterThan(0);

    const wider = await packPlugin(folder, { version: "1.1.0", permissions: ["network:api.example.com"] });
    const unasked = await run("plugins", "update", wider);
    expect(unasked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs more than before: network:api.example.com") as string,
    });
    expect((await run("plugins", "list")).stdout).toMatch(/^counter +1\.0\.0 +installed +tools of counter \(count\)$/m);
    const same = await packPlugin(folder, { version: "1.0.1" });
    expect(await run("plugins", "update", same)).toMatchObject({ code: 0, stdout: "counter 1.0.1 is installed.\n" });
    await expect.poll(async () => stillRunning(below), { timeout: 20_000 }).toEqual([]);

    expect(await run("plugins", "remove", "counter")).toMatchObject({ code: 0, stdout: "counter is removed.\n" });
    expect((await run("plugins", "list")).stdout).not.toContain("counter");
    expect((await run("status")).stdout).toContain("no installed package has a plugin counter");
    expect(await product.end("SIGTERM")).toMatchObject({ code: 0 });
    const current = (await readFile(join(home, "extensions", "current"), "utf8")).trim();
    expect(await readdir(join(home, "extensions", current, "packages"))).toEqual([]);
    await using again = await startMcpScene({}, { home, settings, user: ANOTHER });
    await expect.poll(async () => readdir(join(home, "extensions")), { timeout: 20_000 }).toEqual(["current", current]);
    // Installed again, it begins from nothing.
    await run("plugins", "add", await packPlugin(folder), "--yes");
    expect(await again.use(count)).toContain("sum 20");
  });

  test("state outlives a kill of the gateway, and the process does not; a start imports nothing", async () => {
    await run("plugins", "add", await packPlugin(folder), "--yes");
    const throwing = await packPlugin(folder, { id: "unused", entry: `throw new Error("imported");` });
    await run("plugins", "add", throwing, "--yes");
    await using first = await startMcpScene({}, { home });
    expect(first.product.output()).not.toContain("imported");
    const count = { name: "counter_count", arguments: {} };
    expect(await first.use(count)).toContain("total 1");
    const below = await processesBelow(first.product.pid);
    expect(below.length).toBeGreaterThan(0);
    process.kill(first.product.pid, "SIGKILL");
    await expect.poll(async () => stillRunning(below), { timeout: 20_000 }).toEqual([]);
    await using second = await startMcpScene({}, { home, user: ANOTHER });
    expect(await processesBelow(second.product.pid)).toEqual([]);
    expect(await second.use(count)).toContain("total 2");
    // In the gateway's process, if its owner says so.
    await second.product.end("SIGTERM");
    const settings = { plugins: { entries: { counter: { trusted: true } } } };
    await using third = await startMcpScene({}, { home, settings, user: "third" });
    expect(await third.use(count)).toContain("total 3");
    expect(await third.use(count)).toContain("total 4");
    expect(await processesBelow(third.product.pid)).toEqual([]);
  });

  test("permissions: it reads the workspace and, under an account that has limits, runs programs that see no more than it does", async () => {
    const entry = `import { execFileSync } from "node:child_process";
      import { readFileSync } from "node:fs";
      const attempt = (work) => { try { return work(); } catch (error) { return error.code ?? error.message; } };
      export const plugin = { id: "counter", setup(api) {
        api.tool("count", () => {
          const shell = (script) => attempt(() => execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" }).trim());
          const { main = "/none" } = api.workspaces;
          return JSON.stringify({
            read: attempt(() => readFileSync(main + "/note.md", "utf8")),
            run: shell("cat '" + main + "/note.md'"),
            change: shell("echo changed 2>/dev/null > '" + main + "/note.md' || echo refused"),
            settings: shell("cat '" + main + "/../factotum.json5' 2>/dev/null || echo hidden"),
          });
        });
      } };`;
    await run("plugins", "add", await packPlugin(folder, { entry, permissions: ["fs:workspace", "exec"] }), "--yes");
    await using scene = await startMcpScene({}, { home });
    await mkdir(join(home, "workspace"));
    await writeFile(join(home, "workspace", "note.md"), "a note");
    const count = { name: "counter_count", arguments: {} };
    const told = await scene.use(count);
    const isSandboxed = spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"]).status === 0;
    const mayRun = isSandboxed && process.getuid?.() !== 0;
    const programs = mayRun ? ['"run":"a note"', '"change":"refused"', '"settings":"hidden"'] : ['"run":"ERR_ACCESS_DENIED"'];
    for (const part of ['"read":"a note"', ...programs]) expect(told).toContain(part);
    const why = isSandboxed ? "whose processes the kernel does not limit" : "bubblewrap does not work here";
    expect(scene.product.output().includes(why)).toBe(!mayRun);
    await scene.product.end("SIGTERM");
    await run("plugins", "update", await packPlugin(folder, { version: "1.0.1", entry }));
    await using second = await startMcpScene({}, { home, user: ANOTHER });
    const withoutThem = await second.use(count);
    for (const part of ['"read":"ERR_ACCESS_DENIED"', '"run":"ERR_ACCESS_DENIED"']) expect(withoutThem).toContain(part);
    expect(await readFile(join(home, "workspace", "note.md"), "utf8")).toBe("a note");
  });

  test("no signal of a plugin opens the debugger of the gateway", async () => {
    await using scene = await startMcpScene({}, { home });
    process.kill(scene.product.pid, "SIGUSR1");
    expect(await run("status")).toMatchObject({ code: 0 });
    expect(scene.product.output()).not.toContain("Debugger listening");
  });

  test("a plugin that cannot be set up, and one whose settings are wrong, are named by status and doctor", async () => {
    const entry = COUNTER_ENTRY.replace('id: "counter"', 'id: "other"');
    await run("plugins", "add", await packPlugin(folder, { entry }), "--yes");
    await run("plugins", "add", await packPlugin(folder, { id: "wrong" }), "--yes");
    await using scene = await startMcpScene({}, { home, settings: { plugins: { entries: { wrong: { config: { word: 7 } } } } } });
    expect(await scene.use({ name: "counter_count", arguments: {} })).toContain("could not be set up");
    for (const command of ["status", "doctor"]) {
      const { stdout } = await run(command);
      expect(stdout).toContain(
        'plugin counter has failed: it could not be set up: its plugin has the id "other", and its manifest "counter"',
      );
      expect(stdout.toLowerCase()).toContain("the plugin wrong is not used: word: ");
    }
  });

  test("a hook of a plugin denies a call; one that spins denies it too, the turn ends, and status names it", async () => {
    const rule = (id: string, body: string): string =>
      `export const plugin = { id: "${id}", setup(api) { api.hook("before_tool_call", async ({ tool, arguments: args }) => { ${body} }); } };`;
    const provides = [{ type: "hooks", entry: "./index.mjs", hooks: [{ name: "before_tool_call" }] }];
    const denying = rule("house-rule", `if (tool === "write" && String(args.path).endsWith(".txt")) return { deny: "No text files." };`);
    await run("plugins", "add", await packPlugin(folder, { id: "house-rule", provides, entry: denying }), "--yes");
    await using scene = await startMcpScene({}, { home });
    const write = (path: string): Order => ({ name: "write", arguments: { path, content: "x" } });
    expect(await scene.use(write("a.txt"))).toContain("write was not run. Rule of the plugin house-rule: No text files.");
    expect(await scene.use(write("a.md"))).toContain("Wrote a.md");
    await run("plugins", "add", await packPlugin(folder, { id: "spins", provides, entry: rule("spins", "for (;;);") }), "--yes");
    const sinceMs = performance.now();
    expect(await scene.use(write("b.md"))).toContain("The plugin spins, which decides on calls, has failed.");
    expect(performance.now() - sinceMs).toBeLessThan(30_000);
    expect((await run("status")).stdout).toContain("The plugin spins has failed: it did not answer within 5 s");
    await run("plugins", "remove", "spins");
    expect(await scene.use(write("b.md"))).toContain("Wrote b.md");
  });
});
