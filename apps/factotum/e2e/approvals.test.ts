import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { openTerminal } from "./open-terminal.ts";
import { newestResults, order, startObedientModel } from "./obedient-model.ts";

const TIMEOUT = { timeout: 300_000 };

interface Waiting {
  readonly id: string;
  readonly text: string;
}

/** Resolves with the calls that wait, once there are any. */
async function whenAsked(product: Pick<Product, "url" | "token">): Promise<readonly Waiting[]> {
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  const changed = Promise.withResolvers<void>();
  client.follow((...[event]) => {
    if (event === "approvals-change") changed.resolve();
  });
  const { waiting } = await client.request("approvals.list", {});
  if (waiting.length > 0) return waiting;
  await changed.promise;
  return (await client.request("approvals.list", {})).waiting;
}

const configFor = (baseUrl: string, exec: object): object => ({
  agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
  models: { providers: { anthropic: { baseUrl, apiKey: "sk-test-0123456789" } } },
  tools: { exec },
});

async function say(product: Product, text: string): Promise<string> {
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  return (await client.request("agent", { message: text, idempotencyKey: randomUUID() })).text;
}

test("a command waits for a decision by default; the command line lists it and decides on it", TIMEOUT, async () => {
  await using model = await startObedientModel();
  await using product = await startProduct({ config: configFor(model.baseUrl, {}) });
  const { home } = product;
  const mark = path.join(home, "workspace", "mark");
  const answer = say(product, `Please ${order({ name: "exec", arguments: { command: "touch mark && echo made" } })}`);
  const [asked] = await whenAsked(product);
  expect(asked?.text).toBe("touch mark && echo made");
  expect((await runCommand(["approvals", "list"], { home })).stdout).toContain(`${asked?.id ?? "?"}  exec\n  | touch mark && echo made\n`);
  expect(await runCommand(["approvals", "decide", asked?.id ?? "", "perhaps"], { home })).toMatchObject({ code: 2 });
  expect(existsSync(mark)).toBe(false);
  expect(await runCommand(["approvals", "decide", asked?.id ?? "", "allow-always"], { home })).toMatchObject({ code: 0 });
  expect(await answer).toBe("Done.");
  expect(existsSync(mark)).toBe(true);
  expect(newestResults(model)).toEqual(["ok"]);
  // The same command runs at once, and asks again once the decision is taken back.
  await say(product, `Please ${order({ name: "exec", arguments: { command: "touch mark && echo made" } })}`);
  expect(newestResults(model)).toEqual(["ok"]);
  expect(await runCommand(["approvals", "revoke", asked?.id ?? ""], { home })).toMatchObject({ code: 0 });
  expect(await runCommand(["approvals", "revoke", asked?.id ?? ""], { home })).toMatchObject({ code: 1 });
  const again = say(product, `Please ${order({ name: "exec", arguments: { command: "touch mark && echo made" } })}`);
  const [second] = await whenAsked(product);
  await runCommand(["approvals", "decide", second?.id ?? "", "deny"], { home });
  await again;
  expect(newestResults(model)).toEqual([expect.stringContaining("the owner denied it")]);
});

test("at a terminal a call that waits is shown at once, and a decision of another shell goes on with it", TIMEOUT, async () => {
  await using model = await startObedientModel();
  await using product = await startProduct({ config: configFor(model.baseUrl, {}) });
  const { home } = product;
  const message = `Please ${order({ name: "exec", arguments: { command: "touch mark" } })}`;
  await using terminal = openTerminal(["agent", "--message", message], { home });
  await terminal.waitFor(/factotum approvals decide \w+ allow-once/);
  const id = /approvals decide (\w+)/.exec(terminal.shown())?.[1] ?? "";
  expect(terminal.shown()).toContain("touch mark");
  expect(existsSync(path.join(home, "workspace", "mark"))).toBe(false);
  expect(await runCommand(["approvals", "decide", id, "allow-once"], { home })).toMatchObject({ code: 0 });
  expect(await terminal.ended).toBe(0);
  expect(terminal.shown().match(/I want to use exec/g)).toHaveLength(1);
  expect(existsSync(path.join(home, "workspace", "mark"))).toBe(true);
});

test("a command that waits is not started by a kill and a restart, and runs once after a decision", TIMEOUT, async () => {
  await using model = await startObedientModel();
  const config = configFor(model.baseUrl, { mode: "ask" });
  const first = await startProduct({ config });
  const { home } = first;
  const lost = say(first, `Please ${order({ name: "exec", arguments: { command: "echo run >> runs" } })}`).catch(() => "lost");
  const [asked] = await whenAsked(first);
  await first.end("SIGKILL");
  await lost;
  await using second = await startProduct({ config, home });
  const [again] = await whenAsked(second);
  expect(again?.id).toBe(asked?.id);
  expect(existsSync(path.join(home, "workspace", "runs"))).toBe(false);
  await runCommand(["approvals", "decide", again?.id ?? "", "allow-once"], { home });
  await say(second, "And?");
  expect(JSON.parse((await runCommand(["approvals", "list", "--json"], { home })).stdout)).toEqual({ waiting: [], grants: [] });
  expect(await readFile(path.join(home, "workspace", "runs"), "utf8")).toBe("run\n");
});

test("a command that is allowed after the assistant went on without it runs then, and its result comes by itself", TIMEOUT, async () => {
  await using model = await startObedientModel();
  await using product = await startProduct({ config: configFor(model.baseUrl, {}) });
  const { home } = product;
  const first = say(product, `Please ${order({ name: "exec", arguments: { command: "echo run >> runs; echo made" } })}`);
  const [asked] = await whenAsked(product);
  await say(product, "Are you there?");
  await first;
  expect(existsSync(path.join(home, "workspace", "runs"))).toBe(false);
  expect((await runCommand(["approvals", "decide", asked?.id ?? "", "allow-once"], { home })).stderr).toContain("it runs now");
  const newest = (): string => JSON.stringify(((model.requests.at(-1)?.body?.["messages"] ?? []) as readonly unknown[]).at(-1));
  await expect.poll(newest).toContain("Its result:\\n| made");
  expect(await readFile(path.join(home, "workspace", "runs"), "utf8")).toBe("run\n");
  expect(await runCommand(["approvals", "decide", asked?.id ?? "", "allow-once"], { home })).toMatchObject({ code: 1 });
});

test("what a program is changed to after the owner was asked is not run", TIMEOUT, async () => {
  await using model = await startObedientModel();
  await using product = await startProduct({ config: configFor(model.baseUrl, { mode: "ask" }) });
  const write = (content: string): object => ({ name: "write", arguments: { path: "build.sh", content } });
  await say(product, `Please ${order(write("echo harmless > result\n") as never)}`);
  const answer = say(product, `Please ${order({ name: "exec", arguments: { command: "sh build.sh" } })}`);
  const [asked] = await whenAsked(product);
  await writeFile(path.join(product.home, "workspace", "build.sh"), "echo stolen > result\n");
  await runCommand(["approvals", "decide", asked?.id ?? "", "allow-once"], { home: product.home });
  await answer;
  expect(newestResults(model)).toEqual([expect.stringContaining("has changed since the owner was asked")]);
  expect(existsSync(path.join(product.home, "workspace", "result"))).toBe(false);
});

test("the mode allowlist runs what a pattern covers, and asks about the rest", TIMEOUT, async () => {
  await using model = await startObedientModel();
  await using product = await startProduct({ config: configFor(model.baseUrl, { mode: "allowlist", allow: ["ls *"] }) });
  await say(product, `Please ${order({ name: "exec", arguments: { command: "ls -a ." } })}`);
  expect(newestResults(model)).toEqual(["ok"]);
  const answer = say(product, `Please ${order({ name: "exec", arguments: { command: "ls; touch mark" } })}`);
  const [asked] = await whenAsked(product);
  await runCommand(["approvals", "decide", asked?.id ?? "", "deny"], { home: product.home });
  await answer;
  expect(existsSync(path.join(product.home, "workspace", "mark"))).toBe(false);
});
