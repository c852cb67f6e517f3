import { sayText, startStrictServer } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { ChatEntry } from "@factotum/protocol";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { checkedOfficially } from "./check-official.ts";

const SESSION = { sessionKey: "agent:main:main" };

const configWith = (model: StrictServer, apiKey: unknown): object => ({
  agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
  models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey } } },
});

async function connect({ url, token }: Product): Promise<RpcClient> {
  return RpcClient.connect({ url, token, version: "0" });
}

async function history(client: RpcClient): Promise<readonly ChatEntry[]> {
  return (await client.request("chat.history", SESSION)).entries;
}

const words = (entries: readonly ChatEntry[]): readonly string[] => entries.map((entry) => ("text" in entry ? entry.text : ""));

/** Polled, since a kill interrupts the page's own event stream. */
async function waitForEntries(client: RpcClient, count: number): Promise<readonly ChatEntry[]> {
  await expect.poll(async () => (await history(client)).length).toBe(count);
  return history(client);
}

test.each([
  ["a key that does not resolve", (model: StrictServer) => configWith(model, { env: "NO_SUCH_KEY" })],
  [
    "a model that does not exist",
    (model: StrictServer) => ({ ...configWith(model, "sk-test"), agents: { defaults: { model: "nowhere/x" } } }),
  ],
])("a first message in the page with %s is kept through a kill, and in the history of the next", async (_cause, bad) => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Blue."));
  await using first = await startProduct({ config: bad(model), env: { FACTOTUM_CRASH_AT: "after-claim:1" } });
  const killed = await connect(first);
  await killed.request("chat.send", { ...SESSION, text: "My car is blue.", idempotencyKey: "1" }).catch(() => undefined);
  expect(await first.ended).toMatchObject({ signal: "SIGKILL" });
  killed[Symbol.dispose]();

  await using second = await startProduct({ config: bad(model), home: first.home });
  using refused = await connect(second);
  const entries = await waitForEntries(refused, 2);
  expect(entries).toMatchObject([
    { type: "user", text: "My car is blue.", idempotencyKey: "1" },
    { type: "notice", level: "error" },
  ]);
  // The page sends unacknowledged messages again.
  expect(await refused.request("chat.send", { ...SESSION, text: "My car is blue.", idempotencyKey: "1" })).toMatchObject({
    status: "duplicate",
  });
  await second.end("SIGKILL");

  await using third = await startProduct({ config: configWith(model, "sk-test"), home: first.home });
  using mended = await connect(third);
  expect(await history(mended)).toEqual(entries);
  await mended.request("chat.send", { ...SESSION, text: "Which colour has it?", idempotencyKey: "2" });
  expect(words(await waitForEntries(mended, 4)).slice(2)).toEqual(["Which colour has it?", "Blue."]);
  await third.end("SIGTERM");
  expect(model.requests).toHaveLength(1);
  expect(JSON.stringify(model.requests[0]?.body)).toMatch(/My car is blue\..*Which colour has it\?/);
  expect(model.violations).toEqual([]);
});

test("a first message whose refusal a kill interrupted is answered if the setting is repaired meanwhile", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Nice."));
  await using first = await startProduct({
    config: configWith(model, { env: "NO_SUCH_KEY" }),
    env: { FACTOTUM_CRASH_AT: "after-claim:1" },
  });
  const killed = await connect(first);
  await killed.request("chat.send", { ...SESSION, text: "My car is blue.", idempotencyKey: "1" }).catch(() => undefined);
  await first.ended;
  killed[Symbol.dispose]();
  await using second = await startProduct({ config: configWith(model, "sk-test"), home: first.home });
  using mended = await connect(second);
  expect(words(await waitForEntries(mended, 2))).toEqual(["My car is blue.", "Nice."]);
});
