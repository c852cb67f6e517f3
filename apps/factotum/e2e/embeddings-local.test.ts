import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { MemoryState } from "@factotum/protocol";
import { FakeRegistry, runCommand } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";

import { newestTexts } from "./browser-scene.ts";
import { startMcpScene } from "./mcp-scene.ts";
import { order } from "./obedient-model.ts";
import { processesBelow, stillRunning } from "./processes.ts";

const PLUGIN = fileURLToPath(new URL("../../../plugins/embeddings-local/", import.meta.url));
const MODEL = "embeddings-local/use-lite-en";
const NOTES = {
  "2020-01-02.md": "The radiators are serviced by Karl.\n",
  "2020-01-03.md": "Green tea is on the shelf.\n",
  "2020-01-04.md": "My sister moved to Lisbon.\n",
};
/** Has no word of the note that answers it. */
const QUESTION = "who repaired our heating?";

test(
  "the packed plugin finds notes by their meaning from a process of its own, which ends when it is idle; without it words are compared",
  { timeout: 300_000 },
  async () => {
    await using temporary = await mkdtempDisposable(path.join(tmpdir(), "factotum-local-"));
    const home = path.join(temporary.path, "home");
    await using registry = await FakeRegistry.start();
    await registry.publishDependencies(PLUGIN);
    const { file, version } = await pack(temporary.path);
    await registry.publish(file);
    await using scene = await startMcpScene({}, { home });
    const { product } = scene;
    const run = async (...args: readonly string[]) => runCommand(args, { home, env: { npm_config_registry: registry.url } });
    const rpc = async <Answer>(ask: (client: RpcClient) => Promise<Answer>): Promise<Answer> => {
      using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
      return await ask(client);
    };
    const state = async (): Promise<MemoryState> => rpc(async (client) => client.request("memory.status", {}));
    /** The processes of the plugin, with those of its sandbox. */
    const pluginProcesses = async (): Promise<readonly number[]> => {
      const running = await stillRunning(await processesBelow(product.pid));
      const args = await Promise.all(running.map(async (id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
      return running.filter((_, index) => args[index]?.includes("@factotum/embeddings-local") === true);
    };
    await mkdir(path.join(home, "workspace", "memory"), { recursive: true });
    for (const [name, text] of Object.entries(NOTES)) await writeFile(path.join(home, "workspace", "memory", name), text);

    expect(await run("plugins", "add", `@factotum/embeddings-local@${version}`, "--yes")).toMatchObject({ code: 0 });
    expect(await pluginProcesses()).toEqual([]);
    expect(await run("config", "set", "memory.embeddings.model", MODEL)).toMatchObject({ code: 0 });
    await expect.poll(async () => (await state()).embedded?.model).toBe(MODEL);
    expect(await run("memory", "index")).toMatchObject({ code: 0 });
    await expect.poll(async () => (await state()).embedded).toEqual({ model: MODEL, chunks: 3 });
    const search = async (query: string): Promise<string> =>
      rpc(async (client) => {
        const message = order({ name: "memory_search", arguments: { query, maxResults: 1 } });
        await client.request("agent", { message, idempotencyKey: crypto.randomUUID() });
        return newestTexts(scene.model).join("\n");
      });
    /** Once the model answers in time: a start of its process can take longer than a search waits. */
    const nearest = async (query: string): Promise<string> => {
      const found = await search(query);
      return found.includes("took too long") ? nearest(query) : found;
    };
    const before = await megabytesOf(product.pid);
    expect(await nearest(QUESTION)).toContain("2020-01-02.md#L1-L1");
    expect(await nearest("where does she live?")).toContain("2020-01-04.md#L1-L1");
    const sizes = await Promise.all((await pluginProcesses()).map(megabytesOf));
    expect(Math.max(...sizes)).toBeGreaterThan(150);
    expect((await megabytesOf(product.pid)) - before).toBeLessThan(100);

    expect(await run("config", "set", "plugins.entries.embeddings-local.idleSeconds", "2")).toMatchObject({ code: 0 });
    await expect.poll(pluginProcesses).toEqual([]);
    await Promise.all([expect.poll(pluginProcesses).not.toEqual([]), nearest("which drink do we have?")]);
    // Less than the default.
    await expect.poll(pluginProcesses, { timeout: 60_000 }).toEqual([]);

    // A process that hangs holds no search up, and one that dies is missed.
    expect(await run("config", "unset", "plugins.entries")).toMatchObject({ code: 0 });
    expect(await nearest("where is my sister?")).toContain("2020-01-04.md#L1-L1");
    const processes = await pluginProcesses();
    for (const id of processes) process.kill(id, "SIGSTOP");
    const late = await search("green tea");
    expect(late).toContain("2020-01-03.md#L1-L1");
    expect(late).toContain("only words were compared: the embedding of the query took too long");
    for (const id of processes) process.kill(id, "SIGKILL");
    await expect.poll(async () => (await state()).problems).toEqual([expect.stringMatching(/Texts are not embedded .*its process ended/)]);
    expect(await search("radiators")).toContain("only words were compared: embeddings cannot be had now");

    expect(await run("plugins", "remove", "@factotum/embeddings-local")).toMatchObject({ code: 0 });
    expect(await search("lisbon")).toMatch(/2020-01-04\.md#L1-L1[^]*embeddings cannot be had now/);
    expect(await run("config", "unset", "memory")).toMatchObject({ code: 0 });
    await expect.poll(async () => (await state()).embedded).toBeUndefined();
    const found = await search("green tea");
    expect(found).toContain("2020-01-03.md#L1-L1");
    expect(found).not.toContain("only words");
  },
);

/** Resident memory. */
async function megabytesOf(id: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${id}/status`, "utf8"))?.[1]) / 1_024;
}

/** Packs the plugin as a release does, from its build. */
async function pack(destination: string): Promise<{ readonly file: string; readonly version: string }> {
  await promisify(execFile)("pnpm", ["-C", PLUGIN, "pack", "--config.ignore-scripts=true", "--pack-destination", destination]);
  const [name = ""] = (await readdir(destination)).filter((one) => one.endsWith(".tgz"));
  const { version } = JSON.parse(await readFile(path.join(PLUGIN, "package.json"), "utf8")) as { readonly version: string };
  return { file: path.join(destination, name), version };
}
