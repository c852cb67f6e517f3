import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startListingServer } from "@factotum/testing-providers";
import { productEntry, runCommand, startProduct, type Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";

const KEY = "gsk-right-0123456789abcdef";

/** Runs `auth set` with a key on standard input, as a script does. */
async function authSet(
  { home }: Product,
  key: string,
  ...flags: readonly string[]
): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(process.execPath, [productEntry, "auth", "set", "groq", ...flags], {
    env: { PATH: process.env["PATH"], HOME: home, FACTOTUM_HOME: home, OLLAMA_HOST: "127.0.0.1:9" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdin.end(`${key}\n`);
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}

test("the start names the step that ends the demo, and a running gateway applies a key and a model at once", async () => {
  await using provider = await startListingServer({ key: KEY, models: ["openai/gpt-oss-120b", "llama-9"] });
  await using product = await startProduct({ config: { models: { providers: { groq: { baseUrl: provider.url } } } } });
  const run = async (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand(args, { home: product.home });
  const step = "The demo model answers. For a real one, open the address above and choose a provider, or run: factotum setup\n";
  await expect.poll(() => product.output()).toContain(step);
  const refused = await authSet(product, "gsk-wrong-0123456789");
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("refused this key") as string });
  // The model cools down after its refusal, and is asked again at once with the right key.
  expect((await authSet(product, "gsk-wrong-0123456789", "--no-check")).code).toBe(0);
  expect((await run("agent", "-m", "hello")).code).toBe(1);
  const kept = await authSet(product, KEY);
  expect(kept).toMatchObject({ code: 0, output: expect.stringContaining("The running gateway uses it from now on.") as string });
  expect(kept.output).not.toContain(KEY);
  expect((await run("agent", "-m", "hello")).stdout).toBe("Good day.\n");
  expect((await run("models", "list")).stdout).toBe("groq/openai/gpt-oss-120b  (in use)\ngroq/llama-9\n");
  expect((await run("models", "set", "groq/llama-9")).stderr).toContain("The running gateway uses it from now on.");
  expect((await run("status")).stdout).toContain("main: groq/llama-9");
  expect((await run("models", "set", "groq/llama-10")).code).toBe(1);
});

test("another token applies at once: commands find it, the old one is refused", async () => {
  await using product = await startProduct();
  const run = async (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand(args, { home: product.home });
  expect((await run("token", "show")).stdout).toBe(`${product.token}\n`);
  const { stdout } = await run("token", "rotate", "--json");
  const { token, address } = JSON.parse(stdout) as { readonly token: string; readonly address: string };
  expect(address).toBe(`${product.url}/#token=${token}`);
  expect((await readFile(join(product.home, "credentials/gateway-token"), "utf8")).trim()).toBe(token);
  expect((await run("status")).code).toBe(0);
  await expect(RpcClient.connect({ url: product.url, token: product.token, version: "test" })).rejects.toThrow("token");
  using client = await RpcClient.connect({ url: product.url, token, version: "test" });
  expect((await client.request("agents.list", {})).agents).toHaveLength(1);
});
