import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { runCommand, startProduct, type Product } from "@factotum/testing-product";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import type { CapturedRequest, MessageReply, StrictServer } from "@factotum/testing-providers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { decideApprovals } from "./decide-approvals.ts";
import { feishuConfig } from "./feishu-scene.ts";
import { processesBelow, stillRunning } from "./processes.ts";

const USER = "ou_olga";
const CHAT = "oc_dm";
const AGENT = fileURLToPath(new URL("../../../packages/acp-client/test/scripted-agent.ts", import.meta.url));
/** The example of the protocol's SDK, which the version that acpx uses has in its package. */
const EXAMPLE = path.join(
  path.dirname(createRequire(import.meta.resolve("acpx")).resolve("@agentclientprotocol/sdk")),
  "examples/agent.js",
);
const TIMEOUT = { timeout: 120_000 };

let feishu: FakeFeishu;
let model: StrictServer;
let home: string;
let product: Product;
let messages = 0;

beforeAll(async () => {
  feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT] });
  model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(answer);
  home = await mkdtemp(path.join(tmpdir(), "factotum-external-"));
  product = await start();
}, 60_000);
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model.close();
  await feishu[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

async function start(bindings: readonly object[] = []): Promise<Product> {
  const scripted = { command: process.execPath, args: [AGENT] };
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    bindings,
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    // It ends at once: what counts is that the agent gets it.
    mcp: { servers: { notes: { command: "true", args: ["--notes"], env: { LOG_LEVEL: "very-loud" } } } },
    acp: {
      agents: {
        scripted: { ...scripted, env: { OWN: "own-variable" } },
        loader: { ...scripted, env: { LOADS: "1" } },
        served: { ...scripted, mcpServers: ["notes"] },
        example: { command: process.execPath, args: [EXAMPLE] },
        missing: { command: "no-such-agent" },
      },
    },
    ...feishuConfig(feishu, USER),
  };
  return startProduct({ config, home, env: { ANTHROPIC_API_KEY: "sk-gateway-secret" } });
}

/** Hands `TASK <agent>: <task>` out, and tells of results. */
function answer({ body }: CapturedRequest): MessageReply {
  const all = (body?.["messages"] ?? []) as readonly unknown[];
  const last = JSON.stringify(all.at(-1));
  if (last.includes("has ended")) return sayText(`told ${/has ended: ([^;]*)/.exec(last)?.[1] ?? ""}`);
  if (last.includes("scripted: external")) return sayText("listed");
  if (last.includes("tool_result")) return sayText(last.includes("accepted") ? "asked" : "refused");
  if (last.includes("LIST")) return callTools({ name: "tool_call", arguments: { name: "agents_list", arguments: {} } });
  const [, agentId = "", task = ""] = [...last.matchAll(/TASK (\w+): ([\w./ -]+)/g)].at(-1) ?? [];
  return callTools({ name: "tool_call", arguments: { name: "sessions_spawn", arguments: { task, runtime: "acp", agentId } } });
}

async function say(text: string): Promise<void> {
  const messageId = `om_${(messages += 1)}`;
  const message = { chatId: CHAT, chatType: "p2p", messageType: "text", content: { text }, senderOpenId: USER, messageId } as const;
  feishu.addInbound({ messageId, chatId: CHAT });
  await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, feishuMessageEvent(feishu.app, message)));
}

/** The messages in the chat that have a text. */
function shown(text: string): number {
  return feishu.sent.filter(({ content }) => JSON.stringify(content).includes(text)).length;
}

/** What a report to the model holds. */
function reported(text: string): number {
  const newest = model.requests.map(({ body }) => (body?.["messages"] as readonly unknown[] | undefined)?.at(-1) ?? "");
  return newest.filter((message) => JSON.stringify(message).includes(text)).length;
}

test("a task for an external agent asks first, runs with its own variables, and its file is written by the gateway", TIMEOUT, async () => {
  using _owner = await decideApprovals(product, () => "allow-once");
  await say("TASK scripted: write note.txt");
  await expect.poll(() => shown("told done"), { timeout: 60_000 }).toBe(1);
  expect(shown("asked")).toBe(1);
  expect(reported("Written.")).toBe(1);
  expect(await readFile(path.join(home, "workspace", "note.txt"), "utf8")).toBe("written");
  await say("TASK scripted: env");
  await expect.poll(() => shown("told done"), { timeout: 60_000 }).toBe(2);
  const requests = JSON.stringify(model.requests.map(({ body }) => body));
  expect(requests).toContain("own-variable");
  expect(requests).not.toContain("sk-gateway-secret");
  await say("TASK scripted: run echo from-the-terminal");
  await expect.poll(() => shown("told done"), { timeout: 60_000 }).toBe(3);
  expect(reported("0: from-the-terminal")).toBe(1);
  await expect.poll(async () => (await processesBelow(product.pid)).length, { timeout: 30_000 }).toBe(0);
});

test("the example of the protocol's SDK is asked, asks before it changes something, and ends its task", TIMEOUT, async () => {
  const asked: string[] = [];
  using _owner = await decideApprovals(product, ({ toolName }) => {
    asked.push(toolName);
    return "allow-once";
  });
  const before = shown("told done");
  await say("TASK example: improve the project");
  await expect.poll(() => shown("told done"), { timeout: 60_000 }).toBe(before + 1);
  expect(asked).toContain("agent_permission");
  expect(reported("successfully updated the configuration")).toBe(1);
});

test("the model finds those that it may start; one that is unknown, or whose program is missing, is named", TIMEOUT, async () => {
  using _owner = await decideApprovals(product, () => "allow-once");
  await say("LIST");
  await expect.poll(() => shown("listed"), { timeout: 60_000 }).toBe(1);
  await say("TASK other: say hello");
  await expect.poll(() => shown("refused"), { timeout: 60_000 }).toBe(1);
  expect(reported("acp.agents has scripted, loader, served, example, missing")).toBe(1);
  await say("TASK missing: say hello");
  await expect.poll(() => shown("told failed"), { timeout: 60_000 }).toBe(1);
  expect((await runCommand(["status"], { home })).stdout).toContain("external agent missing cannot be started");
  expect((await runCommand(["doctor"], { home })).stdout).toContain("there is no program no-such-agent");
});

test.each([
  ["scripted", "told failed (The external agent scripted was interrupted"],
  ["loader", "told done"],
])("a kill of the gateway leaves no process of the agent, and the end of the task is told once: %s", TIMEOUT, async (agent, end) => {
  const before = shown(end);
  const owner = await decideApprovals(product, () => "allow-once");
  await say(`TASK ${agent}: hang ${agent}.txt`);
  await expect.poll(() => existsSync(path.join(home, "workspace", `${agent}.txt`)), { timeout: 60_000 }).toBe(true);
  const processes = await processesBelow(product.pid);
  expect(processes.length).toBeGreaterThan(0);
  owner[Symbol.dispose]();
  await product.end("SIGKILL");
  product = await start();
  await expect.poll(async () => stillRunning(processes), { timeout: 30_000 }).toEqual([]);
  await expect.poll(() => shown(end), { timeout: 60_000 }).toBe(before + 1);
  expect(shown(end)).toBe(before + 1);
  // What it had said until then.
  if (agent === "scripted") expect(reported("Hanging.")).toBe(1);
});

test("a chat continues with an external agent by /acp or by its binding, and comes back", TIMEOUT, async () => {
  const until = async (text: string, count = 1): Promise<void> => expect.poll(() => shown(text), { timeout: 60_000 }).toBe(count);
  await say("/acp");
  await until("/acp spawn <agent>");
  await say("/acp spawn missing");
  await until("missing cannot be started");
  await say("/acp spawn scripted");
  await until("scripted answers here");
  const before = model.requests.length;
  await say("say Hello from the agent.");
  await until("Hello from the agent.");
  await say("/acp status");
  await until("scripted: idle, cannot load its conversation after a restart, in this conversation");
  await say("wait");
  await expect.poll(async () => (await runCommand(["status"], { home })).stdout, { timeout: 60_000 }).toContain(", 1 at work");
  await say("/acp cancel");
  await until("Stopped");
  await say("say Still here.");
  await until("Still here.");
  // What it does itself is shown like calls, and its plan like a plan.
  await say("/verbose on");
  await say("work made.txt");
  await until("All edited.");
  expect(["Run the tests", "Tidy up", "agent_call"].map((words) => shown(words))).toEqual([1, 1, 3]);
  expect(shown("Edit it")).toBeGreaterThan(0);
  expect(await readFile(path.join(home, "workspace", "made.txt"), "utf8")).toBe("written");
  await say("/verbose off");
  await say("/acp spawn served servers");
  await until("very-loud");
  expect(shown("--notes")).toBe(1);
  expect(model.requests.length).toBe(before);
  await say("/acp close");
  await until("the configured model answers here");
  expect(await processesBelow(product.pid)).toEqual([]);
  await product.end("SIGTERM");
  product = await start([
    { agentId: "main", type: "acp", acp: { agent: "scripted" }, match: { channel: "feishu", peer: { kind: "direct", id: "*" } } },
  ]);
  await say("say Bound to the agent.");
  await until("Bound to the agent.");
  await say("/status");
  await until("model acp/scripted, because a binding gives this chat to it");
  await say("/acp close");
  await until("A binding gives this chat to scripted");
  expect((await runCommand(["agents", "bindings"], { home })).stdout).toContain("main (acp/scripted)");
  // What it does itself is decided here, with its own options.
  let decision: "allow-once" | "deny" = "allow-once";
  using _owner = await decideApprovals(product, () => decision);
  await say("ask Delete the disk");
  await until('"yes"');
  decision = "deny";
  await say("ask Delete another disk");
  await until('"no"');
  expect(model.requests.length).toBe(before);
});
