import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { MemoryState } from "@factotum/protocol";
import { runCommand, startProduct } from "@factotum/testing-product";
import { startMediaServer, type MediaReply, type MediaRequest } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";

const TIMEOUT = { timeout: 300_000 };
const KEY = "sk-media-0123456789";
/** One number for each: how many of its words a text has. */
const CONCEPTS = [/boiler|heating|radiator/gi, /tea|drink/gi];

function vectors({ fields }: MediaRequest): MediaReply {
  const data = (fields["input"] as readonly string[]).map((text, index) => {
    return { object: "embedding", index, embedding: CONCEPTS.map((words) => text.match(words)?.length ?? 0) };
  });
  return { type: "json", body: { object: "list", data, model: "small", usage: { prompt_tokens: 7, total_tokens: 7 } } };
}

test(
  "notes are found by their meaning, each is embedded once, and a model that fails or hangs leaves the search by words; models of plugins embed, too",
  TIMEOUT,
  async () => {
    await using media = await startMediaServer({ key: KEY });
    media.respond(vectors);
    const provider = { api: "openai-chat", baseUrl: media.baseUrl, apiKey: KEY };
    const config = { models: { providers: { vectors: provider } }, memory: { embeddings: { model: "vectors/small" } } };
    await using first = await startProduct({ config });
    const { home } = first;
    const write = async (name: string, text: string): Promise<void> => {
      await mkdir(path.join(home, "workspace", "memory"), { recursive: true });
      await writeFile(path.join(home, "workspace", "memory", name), text);
    };
    const memory = async (...args: readonly string[]) => runCommand(["memory", ...args], { home });
    /** What is nearest, once the model answers in time: it may be loaded only now. */
    const nearest = async (query: string): Promise<string> => {
      const { stdout, stderr } = await memory("search", query, "--max", "1");
      return stderr.includes("took too long") ? nearest(query) : stdout;
    };
    const sent = (): readonly string[] => media.requests.flatMap(({ fields }) => fields["input"] as readonly string[]);

    await write("2020-01-02.md", `Karl looked at the boiler. The key is ${KEY}.\n`);
    await write("2020-01-03.md", "Sencha tea is on the shelf.\n");
    expect(await memory("index")).toMatchObject({ code: 0 });
    await embedded(first, 2);
    expect(sent().toSorted()).toEqual(["Karl looked at the boiler. The key is __factotum_redacted__.", "Sencha tea is on the shelf."]);
    expect((await memory("status")).stdout).toContain("vectors   vectors/small, 2 of 2 passages\n");
    expect(await nearest("who repaired our heating?")).toMatch(/^memory\/2020-01-02\.md#L1-L1 {2}\(score 0\.6, 2020-01-02\)\n/);

    await first.end("SIGKILL");
    await using product = await startProduct({ config, home });
    const before = sent().length;
    expect(await nearest("radiator")).toContain("boiler");
    expect(sent().slice(before)).toEqual(["radiator"]);
    expect(await memory("index", "--force")).toMatchObject({ code: 0 });

    media.respond(() => ({ type: "silence" }));
    expect(await memory("search", "sencha")).toMatchObject({
      stdout: expect.stringContaining("2020-01-03.md#L1-L1") as string,
      stderr: expect.stringContaining("the embedding of the query took too long") as string,
    });
    media.respond(() => ({
      type: "json",
      status: 401,
      body: { error: { message: `Wrong key ${KEY}.`, type: "x", param: null, code: null } },
    }));
    await write("2020-01-04.md", "The radiator in the hall is new.\n");
    expect((await memory("search", "hall")).stdout).toContain("2020-01-04.md#L1-L1");
    const state = await until(product, ({ problems }) => problems.length > 0);
    expect(state.problems).toEqual([
      expect.stringMatching(/^Texts are not embedded \(memory\.embeddings\.model\): .*vectors.* The next try is in /),
    ]);
    expect(state).toMatchObject({ files: 3, chunks: 3, embedded: { model: "vectors/small", chunks: 2 } });
    expect(JSON.stringify(state)).not.toContain(KEY);
    expect(sent().slice(before, before + 2)).toEqual(["radiator", "sencha"]);
    expect(sent().slice(before)).not.toContain("Sencha tea is on the shelf.");

    expect(await runCommand(["config", "unset", "memory"], { home })).toMatchObject({ code: 0 });
    await until(product, (now) => now.embedded === undefined);
    expect((await memory("status")).stdout).toContain("vectors   none: words alone are compared");
    expect((await memory("search", "radiator")).stdout).toMatch(/^memory\/2020-01-04\.md#L1-L1/);
    expect(product.output()).not.toContain(KEY);

    // A model of a plugin, in a process of its own.
    await using plugin = await mkdtempDisposable(path.join(tmpdir(), "embedder-"));
    await writeFile(path.join(plugin.path, "package.json"), JSON.stringify(EMBEDDER));
    await writeFile(path.join(plugin.path, "index.mjs"), EMBEDDER_CODE);
    expect(await runCommand(["plugins", "add", plugin.path, "--yes"], { home })).toMatchObject({ code: 0 });
    expect(await runCommand(["config", "set", "memory.embeddings.model", "embedder/small"], { home })).toMatchObject({ code: 0 });
    await until(product, (now) => now.embedded !== undefined);
    expect(await memory("index")).toMatchObject({ code: 0 });
    await embedded(product, 3);
    expect(await nearest("heating")).toMatch(/boiler|radiator/);
  },
);

const MODEL = { id: "small", contextWindow: 32_000, maxOutput: 1_000 };
const EMBEDDER = {
  name: "embedder",
  version: "1.0.0",
  type: "module",
  files: ["index.mjs"],
  factotum: { api: 1, provides: [{ type: "models", id: "embedder", entry: "./index.mjs", models: [MODEL] }], permissions: [] },
};
const EMBEDDER_CODE = `export const plugin = {
  id: "embedder",
  setup(api) {
    api.models(async function* ({ input }) {
      for (const text of input) yield { embedding: [/boiler|heating|radiator/i, /tea|drink/i].map((words) => (words.test(text) ? 1 : 0)) };
    });
  },
};`;

/** The state of the memory once it is as wanted. */
async function until(
  { url, token }: { readonly url: string; readonly token: string },
  is: (state: MemoryState) => boolean,
): Promise<MemoryState> {
  using client = await RpcClient.connect({ url, token, version: "0" });
  while (true) {
    const state = await client.request("memory.status", {});
    if (is(state)) return state;
  }
}

async function embedded(product: { readonly url: string; readonly token: string }, chunks: number): Promise<void> {
  await until(product, (state) => state.embedded?.chunks === chunks);
}
