import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { callTools, sayText } from "@factotum/testing-providers";
import type { CapturedRequest, JsonObject, MessageReply } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { startGuestScene } from "./guest-scene.ts";
import { startObedientModel } from "./obedient-model.ts";

const TIMEOUT = { timeout: 300_000 };
const SECRET = "sk-test-0123456789";

const configFor = (baseUrl: string): object => ({
  agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
  models: { providers: { anthropic: { baseUrl, apiKey: SECRET } } },
  tools: { profile: "full", exec: { mode: "full" } },
});

/** The text of the newest message, if it is a tool's result. */
function resultOf({ body }: CapturedRequest): string | undefined {
  const messages = (body?.["messages"] ?? []) as readonly { readonly content: unknown }[];
  const blocks = messages.at(-1)?.content;
  const found = (Array.isArray(blocks) ? (blocks as readonly JsonObject[]) : []).find(({ type }) => type === "tool_result");
  return found === undefined ? undefined : JSON.stringify(found["content"]);
}

const gateway = (args: JsonObject): MessageReply => callTools({ name: "tool_call", arguments: { name: "gateway", arguments: args } });
const hashIn = (result: string): string => /hash\\*":\\*"([0-9a-f]{16})/.exec(result)?.[1] ?? "no hash";

/** Resolves with the call that waits, once there is one. */
async function whenAsked(product: Pick<Product, "url" | "token">): Promise<{ readonly id: string; readonly text: string }> {
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  const changed = Promise.withResolvers<void>();
  client.follow((...[event]) => {
    if (event === "approvals-change") changed.resolve();
  });
  const waiting = async (): Promise<readonly { readonly id: string; readonly text: string }[]> =>
    (await client.request("approvals.list", {})).waiting;
  if ((await waiting()).length === 0) await changed.promise;
  const [asked] = await waiting();
  if (asked === undefined) throw new Error("nothing waits for a decision");
  return asked;
}

test("the assistant looks a key up and changes it, after the owner has seen the difference", TIMEOUT, async () => {
  await using model = await startObedientModel();
  await using product = await startProduct({ config: configFor(model.baseUrl) });
  const { home } = product;
  const client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
  const cap = async (): Promise<string> => (await runCommand(["config", "get", "messages.queue.cap"], { home })).stdout.trim();
  const file = (): Promise<string> => readFile(path.join(home, "factotum.json5"), "utf8");
  const before = await file();
  const change = (value: JsonObject, base: string): JsonObject => ({ action: "patch", base, patch: { messages: { queue: value } } });
  /** Has the model make these calls, each of the result before it, in one turn; resolves with their results and the tools of the request. */
  const turn = async (...calls: readonly ((last: string) => MessageReply)[]): Promise<readonly string[]> => {
    const results: string[] = [];
    model.respond((request) => {
      const result = resultOf(request);
      if (result !== undefined) results.push(result);
      return calls[results.length]?.(results.at(-1) ?? "") ?? sayText("Done.");
    });
    const answer = await client.chat.completions.create({
      model: "factotum",
      messages: [{ role: "user", content: "queue seven messages" }],
    });
    expect(answer.choices[0]?.message.content).toBe("Done.");
    return results;
  };

  const [found, schema, read, stale, invalid] = await turn(
    () => callTools({ name: "tool_search", arguments: { query: "settings" } }),
    () => gateway({ action: "schema", key: "messages.queue.cap" }),
    () => gateway({ action: "get" }),
    () => gateway(change({ cap: 7 }, "0123456789abcdef")),
    () => gateway(change({ cap: "seven" }, "PLACE")),
  );
  expect(found).toContain("## gateway");
  expect(schema).toMatch(/isActive.*true/);
  expect(read).toMatch(/hash/);
  expect(read).not.toContain(SECRET);
  expect(stale).toContain("has changed since it was read; read it again");
  expect(invalid).toContain("has changed since it was read");
  const hash = hashIn(read ?? "");
  const [wrong, owners] = await turn(
    () => gateway(change({ cap: "seven" }, hash)),
    () => gateway({ action: "patch", base: hash, patch: { tools: { exec: { mode: "deny" } } } }),
  );
  expect(wrong).toMatch(/Nothing was written:.*messages\.queue\.cap/);
  expect(owners).toContain("only the owner changes it");
  expect(await file()).toBe(before);

  // Commands run without asking; a change of the settings asks all the same.
  const denied = turn(() => gateway(change({ cap: 7 }, hash)));
  const first = await whenAsked(product);
  expect(first.text).toMatch(/messages.*\(not set\).*7/);
  await runCommand(["approvals", "decide", first.id, "deny"], { home });
  expect((await denied)[0]).toContain("the owner denied it");
  expect(await file()).toBe(before);
  const allowed = turn(() => gateway(change({ cap: 7 }, hash)));
  const second = await whenAsked(product);
  expect(await cap()).toBe("20");
  await runCommand(["approvals", "decide", second.id, "allow-once"], { home });
  expect((await allowed)[0]).toContain("Changed, from the next turn on");
  expect(await cap()).toBe("7");
  expect((await runCommand(["status", "--json"], { home })).stdout).not.toContain("messages.queue");
  // The version that was changed is gone.
  expect((await turn(() => gateway(change({ cap: 8 }, hash))))[0]).toContain("read it again");
  expect(await cap()).toBe("7");
  expect(model.violations).toEqual([]);
});

test("the gateway restarts for the owner, and the conversation goes on and learns of it", TIMEOUT, async () => {
  await using model = await startObedientModel();
  await using product = await startProduct({ config: configFor(model.baseUrl) });
  const { home } = product;
  try {
    const learnt = Promise.withResolvers<string>();
    model.respond((request) => {
      const newest = JSON.stringify(((request.body?.["messages"] ?? []) as readonly unknown[]).at(-1));
      if (newest.includes("The gateway has restarted")) learnt.resolve(newest);
      if (newest.includes("restart now")) return gateway({ action: "restart" });
      return sayText(newest.includes("The gateway has restarted") ? "I am back." : "Back soon.");
    });
    using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
    const answer = client.request("agent", { message: "restart now", idempotencyKey: randomUUID() });
    const asked = await whenAsked(product);
    expect(asked.text).toBe("Restart the gateway.");
    await runCommand(["approvals", "decide", asked.id, "allow-once"], { home });
    expect((await answer).text).toBe("Back soon.");
    expect(await product.ended).toMatchObject({ code: 0 });
    expect(await learnt.promise).toContain("what needed a restart is in effect now");
    // The next message is answered after that one, and finds its answer in the conversation.
    await runCommand(["agent", "--message", "are you there?"], { home });
    expect(JSON.stringify(model.requests.at(-1)?.body?.["messages"])).toContain("I am back.");
    expect(model.violations).toEqual([]);
  } finally {
    await runCommand(["gateway", "stop"], { home });
  }
});

test("a guest gets nothing, and the file does not change", TIMEOUT, async () => {
  await using scene = await startGuestScene({}, { extra: { tools: { profile: "full", exec: { mode: "full" } } } });
  const before = await readFile(path.join(scene.product.home, "factotum.json5"), "utf8");
  for (const args of [
    { action: "schema" },
    { action: "get" },
    { action: "patch", base: "0123456789abcdef", patch: { gateway: { port: 1 } } },
    { action: "apply", base: "0123456789abcdef", key: "gateway.port", value: 1 },
    { action: "restart" },
  ] as const) {
    let result = "";
    scene.model.respond((request) => {
      result = resultOf(request) ?? "";
      return result === "" ? gateway(args) : sayText("Sorry.");
    });
    await scene.say("ou_anna", "change it");
    expect(result).toMatch(/gateway was refused.*only the owner/);
    expect(result).not.toMatch(/port|hash|sk-test/);
  }
  expect(await readFile(path.join(scene.product.home, "factotum.json5"), "utf8")).toBe(before);
  expect((await scene.command("approvals", "list")).stdout).not.toContain("gateway");
});
