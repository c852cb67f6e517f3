import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startListingServer } from "@factotum/testing-providers";
import { runCommand, startProduct, type Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";

const KEY = "gsk-right-0123456789abcdef";
const WRONG = "gsk-wrong-0123456789abcdef";
const MODEL = "groq/openai/gpt-oss-120b";

/** Every file of the state directory that holds a text, as bytes. */
async function filesWith(home: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const holding = await Promise.all(
    files.map(async (file) => ((await readFile(file)).includes(text) ? [file.slice(home.length + 1)] : [])),
  );
  return holding.flat();
}

const connect = async ({ url, token }: Product): Promise<RpcClient> => RpcClient.connect({ url, token, version: "test" });
const say = async (product: Product): Promise<string> => (await runCommand(["agent", "-m", "hello"], { home: product.home })).stdout;

test("from the demo to a model: a wrong key, an unreachable provider, an unknown model and valid ones are reported correctly", async () => {
  await using provider = await startListingServer({ key: KEY, models: ["openai/gpt-oss-120b"] });
  await using product = await startProduct({
    config: { models: { providers: { groq: { baseUrl: provider.url } } } },
    env: { FACTOTUM_LOG_LEVEL: "debug" },
  });
  using client = await connect(product);
  expect(await say(product)).toContain("demo");
  expect((await client.request("setup.state", {})).model).toMatchObject({ reference: "demo/demo", source: "demo" });

  expect(await client.request("setup.check", { provider: "groq", key: WRONG })).toMatchObject({ type: "refused-key" });
  expect(await client.request("setup.check", { provider: "ollama" })).toMatchObject({ type: "unreachable" });
  expect(await client.request("setup.check", { provider: "groq", key: KEY, model: "gpt-nine" })).toMatchObject({ type: "unknown-model" });
  await expect(client.request("setup.key", { provider: "gorq", key: KEY })).rejects.toThrow('Did you mean "groq"?');
  await expect(client.request("setup.model", { model: "gorq/x" })).rejects.toThrow("groq/x");

  // A wrong key is stored and fails; the right one, under the same name, is tried at once.
  expect(await client.request("setup.key", { provider: "groq", key: WRONG })).toEqual({ keyPlace: "credentials/groq" });
  expect(await client.request("setup.model", { model: MODEL })).toEqual({ model: MODEL });
  const failed = await runCommand(["agent", "-m", "hello"], { home: product.home });
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.stdout + failed.stderr).toContain("refused the key");
  await client.request("setup.key", { provider: "groq", key: KEY });
  expect(await say(product)).toBe("Good day.\n");

  const listed = (await client.request("models.list", { provider: "groq", ask: true })).models;
  expect(listed.map(({ reference, source }) => [reference, source])).toEqual([[MODEL, "provider"]]);
  expect((await client.request("models.list", {})).models.find(({ reference }) => reference === MODEL)).toMatchObject({
    source: "configured",
    isDefault: true,
    hasKey: true,
    isKnown: true,
    contextWindow: 131_072,
    price: { input: 0.15 },
  });
  expect(await client.request("models.test", {})).toMatchObject({ model: MODEL, type: "works", durationMs: expect.any(Number) as number });
  const asked = await runCommand(["models", "test", "--ask"], { home: product.home });
  expect(asked.stdout).toContain(`${MODEL} has answered.`);

  await client.request("setup.name", { name: "Ada" });
  expect((await client.request("agents.list", {})).agents[0]?.name).toBe("Ada");
  expect(await client.request("setup.heartbeat", { heartbeat: "day" })).toEqual({ heartbeat: "day" });
  const state = await client.request("setup.state", {});
  expect(state).toMatchObject({ model: { reference: MODEL, source: "configured" }, agent: { name: "Ada", heartbeat: "day" } });
  expect((await stat(join(product.home, "credentials/groq"))).mode & 0o777).toBe(0o600);

  // The right key is only in its file; the wrong one, and both in all output and responses, nowhere.
  expect(await filesWith(product.home, KEY)).toEqual(["credentials/groq"]);
  expect(await filesWith(product.home, WRONG)).toEqual([]);
  for (const key of [KEY, WRONG]) expect(`${product.output()}${JSON.stringify(state)}`).not.toContain(key);
});

test("a damaged configuration is neither changed nor worked around", async () => {
  await using product = await startProduct({ config: { agents: { defaults: { model: "demo/demo" } } } });
  using client = await connect(product);
  const file = join(product.home, "factotum.json5");
  await writeFile(file, "{ agents: { defaults: ");
  await expect(client.request("setup.key", { provider: "groq", key: KEY })).rejects.toThrow("was not changed");
  await expect(client.request("setup.model", { model: MODEL })).rejects.toThrow("factotum config validate");
  expect(await readFile(file, "utf8")).toBe("{ agents: { defaults: ");
  expect(await filesWith(product.home, KEY)).toEqual([]);
});
