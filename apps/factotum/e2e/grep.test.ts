import { randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startProduct } from "@factotum/testing-product";
import type { StrictServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { order, startObedientModel } from "./obedient-model.ts";

const SEARCHES = [
  { pattern: "needle", limit: 1_000 },
  { pattern: "^file 7\\d* NEEDLE$", ignoreCase: true, context: 1 },
  { pattern: "needle|haystack" },
  { pattern: "no such text" },
];

/** What the model is told of each search, in a product that finds programs in this PATH. */
async function search(model: StrictServer, searchPath: string): Promise<string> {
  await using product = await startProduct({
    env: { PATH: searchPath },
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" } } },
    },
  });
  const workspace = path.join(product.home, "workspace");
  await mkdir(path.join(workspace, "files"), { recursive: true });
  await writeFile(path.join(workspace, ".gitignore"), "*9.txt\n");
  for (let index = 0; index < 600; index += 1)
    await writeFile(path.join(workspace, "files", `${index}.txt`), `file ${index} ${index % 7 === 0 ? "needle" : "hay"}\n`);
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  const message = `Please ${order(...SEARCHES.map((args) => ({ name: "grep", arguments: args })))}`;
  await client.request("agent", { message, idempotencyKey: randomUUID() });
  const results = ((model.requests.at(-1)?.body?.["messages"] ?? []) as unknown as readonly { readonly content: unknown }[]).at(
    -1,
  )?.content;
  return JSON.stringify((results as readonly Readonly<Record<string, unknown>>[]).map(({ type, content }) => [type, content]));
}

test("grep tells the model the same with ripgrep in PATH and without it", { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-grep-"));
  const [calls, own] = [path.join(folder, "calls"), process.env["PATH"] ?? ""];
  await writeFile(calls, "");
  await writeFile(path.join(folder, "rg"), `#!/bin/sh\necho call >> ${calls}\nPATH='${own}' exec rg "$@"\n`);
  await chmod(path.join(folder, "rg"), 0o755);
  await using model = await startObedientModel();
  const fast = await search(model, `${folder}:${own}`);
  expect((await readFile(calls, "utf8")).split("\n").length).toBeGreaterThan(3);
  expect(fast).toContain("files/77.txt:1: file 77 needle");
  expect(fast).not.toContain("files/49.txt");
  expect(await search(model, path.join(folder, "nothing"))).toBe(fast);
  await rm(folder, { recursive: true });
});
