import { randomUUID } from "node:crypto";
import { watch } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { JsonObject, StrictServer } from "@factotum/testing-providers";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { newestResults, order, startObedientModel, type Order } from "./obedient-model.ts";

/** Two pages. Without a table of its objects, which every reader builds itself then. */
const PDF = `%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [4 0 R 6 0 R] /Count 2 >> endobj
3 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
${["Annual report", "Profits rose."]
  .map((text, index) => {
    const stream = `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
    const [page, content] = [4 + 2 * index, 5 + 2 * index];
    return `${page} 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${content} 0 R >> endobj
${content} 0 obj << /Length ${stream.length} >>
stream
${stream}
endstream
endobj`;
  })
  .join("\n")}
trailer << /Root 1 0 R >>
%%EOF
`;

const TIMEOUT = { timeout: 120_000 };

let model: StrictServer;
let product: Product;
let workspace: string;

beforeEach(async () => {
  model = await startObedientModel();
  await start({});
});
afterEach(async () => {
  await product[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function start(options: { readonly home?: string; readonly tools?: JsonObject }): Promise<void> {
  const { home, tools = {} } = options;
  const config = {
    tools,
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" } } },
  };
  product = await startProduct({ config, ...(home !== undefined && { home }) });
  workspace = path.join(product.home, "workspace");
  await mkdir(workspace, { recursive: true });
}

async function restart(signal: "SIGTERM" | "SIGKILL", tools: JsonObject = {}): Promise<void> {
  await product.end(signal);
  await start({ home: product.home, tools });
}

const say = async (message: string): Promise<string> => {
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  return (await client.request("agent", { message, idempotencyKey: randomUUID() })).text;
};
const ask = async (...calls: readonly Order[]): Promise<readonly string[]> => {
  await say(`Please ${order(...calls)}`);
  return newestResults(model);
};
const patch = (...lines: readonly string[]): Order => ({
  name: "apply_patch",
  arguments: { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
});
const put = async (name: string, content: string | Uint8Array): Promise<void> => writeFile(path.join(workspace, name), content);
const contentOf = (name: string): Promise<string> => readFile(path.join(workspace, name), "utf8");
const request = (): string => JSON.stringify(model.requests.at(-1)?.body);
const texts = async (): Promise<readonly string[]> => (await readdir(workspace)).filter((name) => name.endsWith(".txt")).toSorted();

test(
  "a patch changes several files, a failing one none, and /undo takes turns back, one after another and after a restart",
  TIMEOUT,
  async () => {
    await put("a.txt", "one\ntwo\n");
    await put("b.txt", "b\n");
    const good = patch("*** Update File: a.txt", "@@", " one", "-two", "+2", "*** Delete File: b.txt", "*** Add File: c.txt", "+c");
    expect(await ask(good)).toEqual(["ok"]);
    expect([await contentOf("a.txt"), ...(await texts())]).toEqual(["one\n2\n", "a.txt", "c.txt"]);
    const bad = patch("*** Update File: a.txt", "@@", "-one", "+1", "*** Update File: c.txt", "@@", "-no such line", "+x");
    expect(await ask(bad)).toEqual([expect.stringContaining("this line was not found")]);
    expect(await contentOf("a.txt")).toBe("one\n2\n");
    expect(await ask({ name: "write", arguments: { path: "a.txt", content: "all new" } })).toEqual(["ok"]);
    await restart("SIGKILL");
    expect(await say("/undo")).toBe("Restored: a.txt");
    expect(await contentOf("a.txt")).toBe("one\n2\n");
    await restart("SIGTERM");
    expect(await say("/undo")).toBe("Restored: a.txt, b.txt\nDeleted, because I had created it: c.txt");
    expect([await contentOf("a.txt"), await contentOf("b.txt"), ...(await texts())]).toEqual(["one\ntwo\n", "b\n", "a.txt", "b.txt"]);
    expect(await say("/undo")).toContain("nothing to undo");
    expect(await readdir(path.join(product.home, "state", "checkpoints"))).toEqual([]);
  },
);

test("a turn over /v1 is listed for clients, and undone by one", TIMEOUT, async () => {
  await put("a.txt", "mine");
  const client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
  const content = `Please ${order({ name: "edit", arguments: { path: "a.txt", edits: [{ oldText: "mine", newText: "yours" }] } })}`;
  await client.chat.completions.create({ model: "factotum", user: "ann", messages: [{ role: "user", content }] });
  expect(await contentOf("a.txt")).toBe("yours");
  using rpc = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  const { sessions } = await rpc.request("sessions.list", {});
  const sessionKey = sessions[0]?.key ?? "";
  expect((await rpc.request("checkpoints.list", { sessionKey })).turns).toMatchObject([{ files: [{ before: "kept" }] }]);
  const undone = await rpc.request("agent", { sessionKey, message: "/undo", idempotencyKey: randomUUID() });
  expect(undone.text).toBe("Restored: a.txt");
  expect(await contentOf("a.txt")).toBe("mine");
});

test("a PDF is read in the built product", TIMEOUT, async () => {
  await put("report.pdf", PDF);
  expect(await ask({ name: "read", arguments: { path: "report.pdf", offset: 2 } })).toEqual(["ok"]);
  expect(request()).toContain(String.raw`[Page 2 of 2]\nProfits rose.`);
  await put("broken.pdf", "%PDF-1.7\nnothing");
  expect(await ask({ name: "read", arguments: { path: "broken.pdf" } })).toEqual([expect.stringContaining("damaged")]);
});

test("without tools.exec.applyPatch there is no apply_patch, and without tools.checkpoints nothing is kept", TIMEOUT, async () => {
  await restart("SIGTERM", { exec: { applyPatch: false }, checkpoints: false });
  expect(await ask(patch("*** Add File: a.txt", "+a"))).toEqual([expect.stringMatching(/apply_patch/)]);
  expect(await texts()).toEqual([]);
  const tools = (model.requests.at(-1)?.body?.["tools"] ?? []) as unknown as readonly { readonly name: string }[];
  expect(tools.map(({ name }) => name)).not.toContain("apply_patch");
  expect(await ask({ name: "write", arguments: { path: "a.txt", content: "a" } })).toEqual(["ok"]);
  await expect(readdir(path.join(product.home, "state", "checkpoints"))).rejects.toThrow("ENOENT");
  expect(await say("/undo")).toContain("tools.checkpoints is false");
});

test("a kill in the middle of a write leaves the old file or the new one, and /undo restores it", TIMEOUT, async () => {
  const [old, fresh] = ["o".repeat(150_000), "n".repeat(150_000)];
  for (const round of [1, 2, 3]) {
    const name = `file-${round}.txt`;
    await put(name, old);
    // The temporary file next to it: the write has begun.
    const writing = Promise.withResolvers<void>();
    const watcher = watch(workspace, (_event, file) => {
      if (file?.startsWith(".factotum-") === true) writing.resolve();
    });
    const answer = say(`Please ${order({ name: "write", arguments: { path: name, content: fresh } })}`).catch(() => "killed");
    await writing.promise;
    watcher.close();
    await product.end("SIGKILL");
    await answer;
    expect([old, fresh]).toContain(await contentOf(name));
    await start({ home: product.home });
    // The interrupted turn is resumed, and told that the outcome of the call is unknown.
    await expect.poll(async () => (await runCommand(["status"], { home: product.home })).code, { timeout: 20_000 }).toBe(0);
    await expect.poll(() => say("/undo"), { timeout: 30_000 }).not.toContain("still working");
    expect(await contentOf(name)).toBe(old);
    // Removed in the background.
    await expect.poll(async () => (await readdir(workspace)).filter((file) => file.startsWith(".factotum"))).toEqual([]);
  }
});
