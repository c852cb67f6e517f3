import { readdir, readFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { StrictServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";
import { order, startObedientModel } from "./obedient-model.ts";
import type { Order } from "./obedient-model.ts";

let model: StrictServer;
let product: Product;
beforeEach(async () => {
  model = await startObedientModel();
});
afterEach(async () => {
  expect(model.violations).toEqual([]);
  await product[Symbol.asyncDispose]();
  await model.close();
});

const config = (more: object = {}): object => ({
  agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
  models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
  tools: { exec: { mode: "full" } },
  ...more,
});

/** Says something over `/v1` in one conversation, and resolves with the answer. */
async function say(content: string): Promise<string | null | undefined> {
  const client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
  const headers = { "x-factotum-session": "agent:main:main" };
  const answer = await client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content }] }, { headers });
  return answer.choices[0]?.message.content;
}

/** Has the model make one call, and resolves with its result. */
async function call(name: string, input: Order["arguments"]): Promise<string> {
  expect(await say(`Please ${order({ name, arguments: input })}`)).toBe("Done.");
  return lastResult(JSON.stringify(messagesOf(-1)));
}

const messagesOf = (index: number): readonly unknown[] => (model.requests.at(index)?.body?.["messages"] ?? []) as readonly unknown[];

function lastResult(text: string): string {
  const found = [...text.matchAll(/"type":"tool_result".*?"content":"((?:[^"\\]|\\.)*)"/g)].at(-1)?.[1] ?? "";
  return JSON.parse(`"${found}"`) as string;
}

/** Requests whose newest message has the text. */
const asked = (text: string): number =>
  model.requests.filter(({ body }) => JSON.stringify(((body?.["messages"] ?? []) as readonly unknown[]).at(-1)).includes(text)).length;

/** Starts a command in the background, and resolves with its id. */
async function begin(command: string, more: Order["arguments"] = {}): Promise<string> {
  return idIn(await call("exec", { command, background: true, ...more }));
}

function idIn(result: string): string {
  return /in the background, id (\w+);/.exec(result)?.[1] ?? expect.unreachable(result);
}

/** Processes of this machine with this text in their command line. */
async function processesWith(mark: string): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((id) => /^\d+$/.test(id));
  const lines = await Promise.all(ids.map(async (id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return ids.filter((id, index) => lines[index]?.includes(mark) === true && id !== String(process.pid));
}

const SERVER = `node -e '
  const server = require("node:http").createServer((_, response) => response.end("hello " + name)).listen(0, "127.0.0.1", () => console.log("port " + server.address().port + "."));
  let name = "nobody";
  process.stdin.on("data", (text) => { name = String(text).trim(); console.log("named " + name); });
  process.on("SIGTERM", () => console.log("I stay"));
'`;

describe.runIf(process.platform === "linux")("a command in the background", () => {
  test("serves while others run, is read, written to and ended, over /v1", { timeout: 300_000 }, async () => {
    product = await startProduct({ config: config() });
    let output = await call("exec", { command: SERVER, background: true });
    const id = idIn(output);
    await expect
      .poll(async () => /port \d+\./.test(output) || (output += await call("process", { action: "poll", id, timeoutMs: 1_000 })) === "")
      .toBe(true);
    const url = `http://127.0.0.1:${/port (\d+)/.exec(output)?.[1]}`;
    expect(await (await fetch(url)).text()).toBe("hello nobody");
    expect(await call("process", { action: "write", id, text: "Ada\n", timeoutMs: 5_000 })).toContain("named Ada");
    expect(await (await fetch(url)).text()).toBe("hello Ada");
    expect(await call("process", { action: "list" })).toMatch(new RegExp(`^${id} \\(running for `));
    expect(await call("process", { action: "log", id, offset: 0 })).toContain("port ");
    // It ignores the request to end.
    expect(await call("process", { action: "kill", id })).toMatch(/I stay\n\[ended: stopped\]$/);
    await expect(fetch(url)).rejects.toThrow();
    expect(asked("has ended")).toBe(0);
  });

  test("goes there by itself, in a terminal that takes keys", { timeout: 300_000 }, async () => {
    product = await startProduct({ config: config() });
    const started = await call("exec", { command: "stty size; read -rsn1 key; echo key $key; sleep 1000", pty: true, yieldMs: 300 });
    expect(started).toMatch(/^40 120\r?\n\[runs on in the background, id /);
    const id = /id (\w+);/.exec(started)?.[1] ?? "";
    expect(await call("process", { action: "send-keys", id, keys: ["y"], timeoutMs: 5_000 })).toMatch(/^key y\n\[running/);
    await call("process", { action: "send-keys", id, keys: ["C-c"] });
    await expect
      .poll(async () => call("process", { action: "poll", id, timeoutMs: 1_000 }), { timeout: 120_000 })
      .toMatch(/\[no new output; ended: (exit code 130|killed by SIGINT)\]$/);
  });

  test("wakes its conversation when it ends, and the answer arrives in the same chat", { timeout: 300_000 }, async () => {
    await using feishu = await FakeFeishu.start({ people: ["ou_ann"], chats: ["oc_ann"] });
    product = await startProduct({ config: { ...config(), ...feishuConfig(feishu, "ou_ann") } });
    const messageId = `om_${"ann".padEnd(32, "0")}`;
    feishu.addInbound({ messageId, chatId: "oc_ann" });
    const command = "sleep 1; echo all built; exit 3";
    const text = `Please ${order({ name: "exec", arguments: { command, background: true } })}`;
    const said = { chatId: "oc_ann", chatType: "p2p", messageType: "text", content: { text }, senderOpenId: "ou_ann", messageId } as const;
    const event = feishuMessageEvent(feishu.app, said);
    expect((await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event))).status).toBe(200);
    await waitForSent(feishu, 2);
    expect(feishu.sent.map(({ receiveId }) => receiveId)).toEqual(["oc_ann", "oc_ann"]);
    const newest = JSON.stringify(messagesOf(-1).at(-1));
    expect(newest).toMatch(/The background command \w+ has ended after \d+ s: exit code 3\..*\| all built/);
    expect(asked("has ended")).toBe(1);
  });

  test("ends with a killed gateway at the next start, and its conversation is told once", { timeout: 300_000 }, async () => {
    const mark = `mark-${randomUUID()}`;
    product = await startProduct({ config: config() });
    await begin(`trap '' TERM; (setsid bash -c 'exec -a ${mark} sleep 1000' &); while :; do sleep 1; done`);
    await expect.poll(async () => (await processesWith(mark)).length).toBeGreaterThan(0);
    const { home } = product;
    await product.end("SIGKILL");
    expect(await processesWith(mark)).not.toEqual([]);
    product = await startProduct({ config: config(), home });
    expect(await processesWith(mark)).toEqual([]);
    await expect.poll(() => asked("was ended by a restart of the gateway")).toBe(1);
    expect(await say("And now?")).toBe("Done.");
    await product.end("SIGKILL");
    product = await startProduct({ config: config(), home });
    expect(await say("And now?")).toBe("Done.");
    expect(asked("was ended by a restart of the gateway")).toBe(1);
  });

  test("ends with a stopped gateway", { timeout: 300_000 }, async () => {
    const mark = `mark-${randomUUID()}`;
    product = await startProduct({ config: config() });
    await begin(`exec -a ${mark} sleep 1000`);
    await expect.poll(async () => (await processesWith(mark)).length).toBeGreaterThan(0);
    await product.end("SIGTERM");
    expect(await processesWith(mark)).toEqual([]);
  });
});
