import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { SendMessageRequest, TaskState } from "@a2a-js/sdk";
import type { StreamResponse, Task } from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import type { Client } from "@a2a-js/sdk/client";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { callTools, createGate, sayText } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";

const TOKENS = { research: "canary-research-".padEnd(40, "r"), planner: "canary-planner-".padEnd(40, "p"), stranger: "s".repeat(40) };
const TIMEOUT_MS = 120_000;

let folder: string;
let model: StrictServer;
let product: Product;
let start: () => Promise<Product>;

beforeAll(async () => {
  model = await startSceneModel(ANTHROPIC, []);
  folder = await mkdtemp(path.join(tmpdir(), "factotum-a2a-"));
  const [workspace, home] = [path.join(folder, "agent"), path.join(folder, "home")];
  await mkdir(workspace);
  const { reference, providers } = ANTHROPIC.config(model.baseUrl);
  const peers = { research: { token: TOKENS.research }, planner: { token: TOKENS.planner }, stranger: { token: TOKENS.stranger } };
  const config = {
    agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }] },
    models: { providers },
    // Naming a peer an owner does not make it one.
    commands: { ownerAllowFrom: ["a2a:research", "a2a/default:research"] },
    channels: { a2a: { name: "Ada's assistant", peers, allowBots: true, allowFrom: ["research", "planner"] } },
  };
  start = () => startProduct({ config, home });
  product = await start();
}, TIMEOUT_MS);

afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => model.respond(() => sayText("Nothing more.")));

/** The library's client, which finds the endpoint by the card. */
function clientOf(token: string | undefined): Promise<Client> {
  const fetchImpl: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const options = {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  };
  return new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options)).createFromUrl(product.url);
}

function says(messageId: string, text: string, more: object = {}, configuration?: object): SendMessageRequest {
  const message = { messageId, role: "ROLE_USER", parts: [{ text }], ...more };
  return SendMessageRequest.fromJSON({ message, ...(configuration !== undefined && { configuration }) });
}

async function send(client: Client, request: SendMessageRequest): Promise<Task> {
  const result = await client.sendMessage(request);
  if (!("status" in result)) throw new Error("the result is no task");
  return result;
}

const get = (client: Client, { id }: { readonly id: string }): Promise<Task> => client.getTask({ id, tenant: "" });
const textsOf = ({ artifacts }: Pick<Task, "artifacts">): unknown[] =>
  artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value as unknown));
const newestPrompt = (): string => JSON.stringify(model.requests.at(-1)?.body);

test("a peer finds the card, is answered as a guest, and continues in its own context", async () => {
  const client = await clientOf(TOKENS.research);
  expect(await client.getAgentCard()).toMatchObject({ name: "Ada's assistant", supportedInterfaces: [{ url: `${product.url}/a2a/v1` }] });
  model.respond(() => sayText("Paris."));
  const first = await send(client, says("m-1", "What is the capital of France?"));
  expect([first.status?.state, textsOf(first)]).toEqual([TaskState.TASK_STATE_COMPLETED, ["Paris."]]);
  model.respond(() => sayText("Two million."));
  const second = await send(client, says("m-2", "How many people live there?", { contextId: first.contextId }));
  expect([second.contextId, textsOf(second)]).toEqual([first.contextId, ["Two million."]]);
  expect(newestPrompt()).toContain("capital of France");
  // A context of its own is a session of its own, and a command of a bot is refused: it is the owner's alone.
  await send(client, says("m-3", "Hello"));
  expect(newestPrompt()).not.toContain("capital of France");
  const before = model.requests.length;
  await expect(send(client, says("m-4", "/whoami"))).rejects.toThrow("other agents give no commands here");
  await send(client, says("m-5", "Hello again"));
  expect(model.requests.length).toBe(before + 1);
});

test("a stream brings the task, the answer and the end", async () => {
  const client = await clientOf(TOKENS.research);
  model.respond(() => sayText("It rains."));
  const events: (StreamResponse["payload"] & {})[] = [];
  for await (const { payload } of client.sendMessageStream(says("s-1", "How is the weather?")))
    if (payload !== undefined) events.push(payload);
  expect(events.map(({ $case }) => $case)).toEqual(["task", "artifactUpdate", "statusUpdate"]);
  expect(JSON.stringify(events[1])).toContain("It rains.");
});

test("a stream brings the answer while it grows", async () => {
  const client = await clientOf(TOKENS.research);
  const words = "The quick brown fox jumps over the lazy dog. ".repeat(8).trim();
  const gate = createGate();
  model.respond(() => ({ ...sayText(words), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
  const chunks: { readonly text: string; readonly append: boolean; readonly lastChunk: boolean }[] = [];
  for await (const { payload } of client.sendMessageStream(says("g-1", "Tell me about the fox")))
    if (payload?.$case === "artifactUpdate") {
      const { artifact, append, lastChunk } = payload.value;
      chunks.push({ text: String(artifact?.parts[0]?.content?.value), append, lastChunk });
      gate.open();
    }
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.map(({ append, lastChunk }) => [append, lastChunk])).toEqual(
    chunks.map((_, index) => [index > 0, index === chunks.length - 1]),
  );
  expect(chunks.map(({ text }) => text).join("")).toBe(words);
});

test("files go both ways, and an address of the gateway's own network is not called", async () => {
  const client = await clientOf(TOKENS.research);
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.end("internal canary");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const parts = [
    { text: "What is in these?" },
    { raw: Buffer.from("The password is swordfish.").toString("base64"), filename: "notes.txt", mediaType: "text/x-notes" },
    { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret.txt`, filename: "secret.txt" },
  ];
  model.respond((request) =>
    JSON.stringify(request.body).includes("tool_result")
      ? sayText("Here it is.\nMEDIA: answer.txt")
      : callTools({ name: "write", arguments: { path: "answer.txt", content: "swordfish" } }),
  );
  const task = await send(client, says("d-1", "", { parts }));
  expect(newestPrompt()).toContain("notes.txt");
  // It is named, with the reason why it could not be fetched.
  expect(newestPrompt()).toContain("secret.txt");
  expect(newestPrompt()).not.toContain("internal canary");
  expect(calls).toBe(0);
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(task.artifacts.map(({ parts: [part] }) => [part?.content?.$case, part?.filename])).toEqual([
    ["text", ""],
    ["raw", "answer.txt"],
  ]);
  expect(Buffer.from(task.artifacts[1]?.parts[0]?.content?.value as Uint8Array).toString()).toBe("swordfish");
  server.close();
});

test("a wrong token, a peer that is not admitted, and another peer's task", async () => {
  for (const token of [undefined, "x".repeat(40), product.token]) {
    const response = await fetch(`${product.url}/a2a/v1`, {
      method: "POST",
      headers: { "a2a-version": "1.0", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} }),
    });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  }
  const research = await clientOf(TOKENS.research);
  const planner = await clientOf(TOKENS.planner);
  const task = await send(research, says("o-1", "Remember the number 4711"));
  await expect(get(planner, task)).rejects.toThrow("no such task");
  // The same context of another peer is another conversation.
  await send(planner, says("o-2", "Which number?", { contextId: task.contextId }));
  expect(newestPrompt()).not.toContain("4711");
  const before = model.requests.length;
  const stranger = await clientOf(TOKENS.stranger);
  const rejected = await send(stranger, says("o-3", "Hello"));
  await send(planner, says("o-4", "Hello"));
  expect([rejected, await get(stranger, rejected)].map(({ status }) => status?.state)).toEqual([
    TaskState.TASK_STATE_REJECTED,
    TaskState.TASK_STATE_REJECTED,
  ]);
  expect(model.requests.length).toBe(before + 1);
  const { home } = product;
  expect((await runCommand(["status"], { home })).stdout).toContain("factotum access allow a2a:default stranger");
  // A peer is never the owner, so an account without one lacks nothing.
  const { stdout } = await runCommand(["doctor"], { home });
  expect(stdout).toContain("a2a/default has agents that may talk to it");
  expect(stdout).not.toContain("no owner");
});

test("a cancelled task stops its run and leaves the context free", async () => {
  const client = await clientOf(TOKENS.research);
  const gate = model.hold();
  const events = client.sendMessageStream(says("c-1", "Count to a million"));
  const { value } = await events.next();
  const task = value?.payload?.$case === "task" ? value.payload.value : undefined;
  await expect.poll(() => newestPrompt()).toContain("Count to a million");
  const cancelled = await client.cancelTask({ id: task?.id ?? "", tenant: "", metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  for await (const { payload } of events) expect(payload?.$case).toBe("statusUpdate");
  // The model still waits: the next request of the session is there because the first run was stopped.
  const next = await send(client, says("c-2", "And now?", { contextId: cancelled.contextId }, { returnImmediately: true }));
  await expect.poll(() => newestPrompt()).toContain("And now?");
  gate.open();
  await expect.poll(async () => textsOf(await get(client, next))).toEqual(["Nothing more."]);
  expect(textsOf(await get(client, cancelled))).toEqual([]);
});

test("a task that a kill interrupts is readable after the restart, and answered once", async () => {
  const client = await clientOf(TOKENS.planner);
  const gate = model.hold();
  const task = await send(client, says("k-1", "What is six times seven?", {}, { returnImmediately: true }));
  await expect.poll(() => newestPrompt()).toContain("six times seven");
  await product.end("SIGKILL");
  gate.open();
  model.respond(() => sayText("42"));
  product = await start();
  const again = await clientOf(TOKENS.planner);
  // The message that the peer sends again, since it had no answer, is the same task.
  const repeated = await send(again, says("k-1", "What is six times seven?"));
  expect([repeated.id, repeated.status?.state, textsOf(repeated)]).toEqual([task.id, TaskState.TASK_STATE_COMPLETED, ["42"]]);
  await product.end("SIGKILL");
  product = await start();
  expect(textsOf(await get(await clientOf(TOKENS.planner), task))).toEqual(["42"]);
  for (const token of Object.values(TOKENS)) expect(product.output()).not.toContain(token);
});

test("a flood is refused with the protocol's error, and another peer is answered", async () => {
  const [planner, research] = [await clientOf(TOKENS.planner), await clientOf(TOKENS.research)];
  const gate = model.hold();
  const sent = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) => send(planner, says(`f-${index}`, "Hello", {}, { returnImmediately: true }))),
  );
  const refused = sent.filter(({ status }) => status === "rejected");
  expect(sent.length - refused.length).toBe(8);
  expect(String(refused[0]?.status === "rejected" && refused[0].reason)).toMatch(/tasks are open|too many messages/);
  gate.open();
  expect((await send(research, says("f", "Hello"))).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
});
