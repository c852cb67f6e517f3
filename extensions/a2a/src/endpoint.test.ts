import { TaskState } from "@a2a-js/sdk";
import type { SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import type { Channel, Clock, MessageId, Outbound, SendOptions } from "@factotum/channel-contract";
import { TestHost } from "@factotum/channel-conformance";
import { describe, expect, test } from "vitest";
import { A2aPlatform, requestOf, TOKENS } from "../test/a2a-platform.ts";
import { peerClient, says } from "../test/peer-client.ts";
import { createA2aChannel } from "./index.ts";

const signal = AbortSignal.timeout(60_000);
const AT_ONCE = { returnImmediately: true };

interface Scene {
  readonly host: TestHost;
  readonly channel: Channel;
  readonly client: Client;
  /** Answers as the gateway does: to the message that it got at this place. */
  readonly answer: (
    text: string,
    options?: { readonly of?: number; readonly key?: string } & Pick<SendOptions, "endsTurn">,
  ) => Promise<void>;
}

async function startScene(host: TestHost = new TestHost()): Promise<Scene> {
  const channel = createA2aChannel(new A2aPlatform().settings(), host);
  await channel.start({ signal });
  return {
    host,
    channel,
    client: await peerClient(channel, TOKENS.research),
    async answer(text, { of = 0, key = `key-${text}`, ...ends } = { endsTurn: "done" }) {
      const message = host.received[of];
      if (message === undefined) throw new Error("there is no such message");
      const { data = "" } = message.replyContext ?? {};
      const receipt = await channel.send(
        message.origin,
        { type: "text", text },
        { signal, idempotencyKey: key, replyContext: data, ...ends },
      );
      expect(receipt.type).toBe("accepted");
    },
  };
}

async function taskOf(client: Client, request: SendMessageRequest): Promise<Task> {
  const result = await client.sendMessage(request);
  if (!("status" in result)) throw new Error("the result is no task");
  return result;
}

const textsOf = ({ artifacts }: Task): unknown[] => artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value as unknown));

test("the card names the endpoint and what it takes, and neither peers nor tokens", async () => {
  const { channel } = await startScene();
  const response = await channel.handleWebhook(new Request("https://agent.example/.well-known/agent-card.json"), { signal });
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({
    supportedInterfaces: [{ url: "https://agent.example/a2a/v1", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: true },
  });
  for (const hidden of ["research", ...Object.values(TOKENS)]) expect(text).not.toContain(hidden);
});

test("a message becomes one of a bot in a thread for its context, and waits for the answer of its turn", async () => {
  const { client, host, answer } = await startScene();
  const sending = taskOf(client, says("m-1", "Hello", { message: { contextId: "c-1" } }));
  await host.storedMessages(1);
  expect(host.stored[0]).toMatchObject({
    origin: { channel: "a2a", conversation: { kind: "direct", id: "research", threadId: "c-1" } },
    sender: { id: "research", isBot: true },
    text: "Hello",
  });
  await answer("One moment", {});
  await answer("Hi");
  const task = await sending;
  expect([task.status?.state, task.contextId, textsOf(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, "c-1", ["One moment", "Hi"]]);
  // A text that is sent again is there once, and so is the message.
  await answer("Hi");
  expect(textsOf(await client.getTask({ id: task.id, tenant: "" }))).toEqual(["One moment", "Hi"]);
  expect((await taskOf(client, says("m-1", "Hello", { message: { contextId: "c-1" } }))).id).toBe(task.id);
  expect(host.stored).toHaveLength(1);
});

test("a stream has the task, its texts and its end, also for one who subscribes later; a failure is a state", async () => {
  const { client, host, answer } = await startScene();
  const read = async (events: AsyncGenerator<StreamResponse, void, undefined>): Promise<unknown[]> => {
    const kinds: unknown[] = [];
    for await (const { payload } of events) kinds.push(payload?.$case === "statusUpdate" ? payload.value.status?.state : payload?.$case);
    return kinds;
  };
  const events = client.sendMessageStream(says("m-1", "Hello"));
  const { value: first } = await events.next();
  const id = first?.payload?.$case === "task" ? first.payload.value.id : "";
  const later = client.resubscribeTask({ id, tenant: "" });
  expect((await later.next()).value?.payload?.$case).toBe("task");
  await answer("Hi");
  for (const stream of [events, later]) expect(await read(stream)).toEqual(["artifactUpdate", TaskState.TASK_STATE_COMPLETED]);
  const failing = client.sendMessageStream(says("m-2", "And now?"));
  await failing.next();
  await answer("The model was not reached.", { of: 1, endsTurn: "failed" });
  expect(await read(failing)).toEqual([TaskState.TASK_STATE_FAILED]);
  expect(host.stored).toHaveLength(2);
});

test("a message of a peer that is not admitted is passed on, and its task ends at once", async () => {
  const { client, host } = await startScene();
  host.isAdmitted = false;
  const task = await taskOf(client, says("m-1", "Hello", { message: { contextId: "c-1" } }));
  expect([task.status?.state, textsOf(task), host.stored.length]).toEqual([TaskState.TASK_STATE_REJECTED, [], 1]);
  const kinds: unknown[] = [];
  for await (const { payload } of client.sendMessageStream(says("m-2", "Hello", { message: { contextId: "c-1" } })))
    kinds.push(payload?.$case);
  expect(kinds).toEqual(["task"]);
});

test("the model and the peer learn the number of hops of onward requests", async () => {
  const { client, host } = await startScene();
  const hops = "urn:factotum:a2a:hops:v1";
  for (const [messageId, metadata, onward] of [
    ["m-1", undefined, 1],
    ["m-2", { [hops]: 3 }, 4],
  ] as const) {
    const task = await taskOf(
      client,
      says(messageId, "Hello", { message: { ...(metadata !== undefined && { metadata }) }, configuration: AT_ONCE }),
    );
    expect(task.metadata).toEqual({ [hops]: onward });
    expect(host.stored.at(-1)?.untrusted?.[0]?.text).toContain(`{"${hops}":${onward}}`);
  }
});

test("an answer that grows is one artifact: its beginning, what is added, and, if it became another, the whole", async () => {
  const { client, host, channel } = await startScene();
  const step = async (outbound: Outbound, key: string, ends: Pick<SendOptions, "endsTurn"> = {}): Promise<MessageId> => {
    const { origin, replyContext } = host.received[0] ?? {};
    if (origin === undefined || replyContext === undefined) throw new Error("there is no message");
    const receipt = await channel.send(origin, outbound, { signal, idempotencyKey: key, replyContext: replyContext.data, ...ends });
    if (receipt.type !== "accepted" || receipt.messageIds[0] === undefined) throw new Error(JSON.stringify(receipt));
    return receipt.messageIds[0];
  };
  const events = client.sendMessageStream(says("m-1", "Hello"));
  const next = async (): Promise<unknown> => {
    const payload = ((await events.next()).value as StreamResponse | undefined)?.payload;
    if (payload?.$case !== "artifactUpdate") return payload?.$case === "statusUpdate" ? payload.value.status?.state : payload?.$case;
    const { artifact, append, lastChunk } = payload.value;
    return [artifact?.parts[0]?.content?.value, append ? "append" : "whole", lastChunk];
  };
  expect(await next()).toBe("task");
  const targetId = await step({ type: "stream", text: "It", added: "It", isLast: false }, "k-1");
  expect([await next(), await next()]).toEqual([["It", "whole", false], TaskState.TASK_STATE_WORKING]);
  await step({ type: "stream", targetId, text: "It rains", added: " rains", isLast: false }, "k-2");
  expect(await next()).toEqual([" rains", "append", false]);
  await step({ type: "edit", targetId, text: "The sun shines." }, "k-3", { endsTurn: "done" });
  expect([await next(), await next()]).toEqual([["The sun shines.", "whole", true], TaskState.TASK_STATE_COMPLETED]);
  expect((await events.next()).done).toBe(true);
});

test("the files of a message are kept with it and fetched from public addresses alone; those of an answer are artifacts", async () => {
  const { client, host, channel } = await startScene();
  host.publicFiles.set("https://files.example/a.txt?key=canary", Buffer.from("far"));
  const parts = [
    { raw: Buffer.from("near").toString("base64"), filename: "near.png", mediaType: "image/png" },
    { url: "https://files.example/a.txt?key=canary", filename: "a.txt", mediaType: "application/pdf" },
    { url: "http://169.254.169.254/secret" },
  ];
  const task = await taskOf(client, says("m-1", "", { message: { parts }, configuration: AT_ONCE }));
  const { origin, attachments = [], replyContext } = host.stored[0] ?? {};
  expect(attachments).toMatchObject([
    { kind: "image", fileName: "near.png", mimeType: "image/png", sizeBytes: 4 },
    { kind: "file", fileName: "a.txt" },
    { kind: "file" },
  ]);
  expect(JSON.stringify(attachments)).not.toContain("canary");
  const fetched = await Promise.allSettled(attachments.map(async (ref) => channel.fetchAttachment(ref, { signal, maxBytes: 100 })));
  expect(fetched.map((result) => (result.status === "fulfilled" ? Buffer.from(result.value.bytes).toString() : result.reason))).toEqual([
    "near",
    "far",
    expect.objectContaining({ code: "forbidden" }),
  ]);
  if (origin === undefined || replyContext === undefined) throw new Error("there is no message");
  const media = { kind: "file", mimeType: "application/pdf", fileName: "报告.pdf", bytes: Buffer.from("%PDF") } as const;
  await channel.send(
    origin,
    { type: "media", media },
    { signal, idempotencyKey: "k-1", replyContext: replyContext.data, endsTurn: "done" },
  );
  const ended = await client.getTask({ id: task.id, tenant: "" });
  expect(ended.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(ended.artifacts[0]?.parts[0]).toMatchObject({
    content: { $case: "raw", value: Buffer.from("%PDF") },
    filename: "报告.pdf",
    mediaType: "application/pdf",
  });
});

test("another peer's task cannot be read, followed, cancelled, continued or listed", async () => {
  const { client, channel, answer } = await startScene();
  const { id } = await taskOf(client, says("m-1", "Secret plans", { configuration: AT_ONCE }));
  const other = await peerClient(channel, TOKENS.other);
  const notFound = expect.objectContaining({ name: expect.stringContaining("TaskNotFoundError") as string }) as Error;
  const params = { id, tenant: "" };
  await expect(other.getTask(params)).rejects.toEqual(notFound);
  await expect(other.cancelTask({ ...params, metadata: undefined })).rejects.toEqual(notFound);
  await expect(other.resubscribeTask(params).next()).rejects.toEqual(notFound);
  await expect(other.sendMessage(says("m-1", "Hello", { message: { taskId: id } }))).rejects.toEqual(notFound);
  // The same id of a message is another message.
  const own = await taskOf(other, says("m-1", "Hello", { configuration: AT_ONCE }));
  expect(own.id).not.toBe(id);
  await answer("Plans", { endsTurn: "done" });
  const { tasks } = await other.listTasks(listing({ includeArtifacts: true }));
  expect(tasks.map((task) => task.id)).toEqual([own.id]);
});

test("a cancelled task ends the work by a stop, shows nothing more, and cannot be cancelled again", async () => {
  const { client, host, answer } = await startScene();
  const { id } = await taskOf(client, says("m-1", "Count to a million", { configuration: AT_ONCE }));
  const cancelled = await client.cancelTask({ id, tenant: "", metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  expect(host.stored[1]).toMatchObject({ command: { name: "stop" }, sender: { isBot: true }, origin: host.stored[0]?.origin });
  await answer("Stopped.");
  expect(textsOf(await client.getTask({ id, tenant: "" }))).toEqual([]);
  await expect(client.cancelTask({ id, tenant: "", metadata: undefined })).rejects.toMatchObject({
    name: expect.stringContaining("TaskNotCancelableError") as string,
  });
});

describe("a refused message is not passed on:", () => {
  test.each<[string, string, SendMessageRequest]>([
    ["too many hops", "UnsupportedOperationError", says("m", "x", { message: { metadata: { "urn:factotum:a2a:hops:v1": 5 } } })],
    ["hops that are no number", "RequestMalformedError", says("m", "x", { message: { metadata: { "urn:factotum:a2a:hops:v1": "few" } } })],
    ["structured data", "ContentTypeNotSupportedError", says("m", "x", { message: { parts: [{ data: { a: 1 } }] } })],
    ["the address of a local file", "RequestMalformedError", says("m", "x", { message: { parts: [{ url: "file:///etc/passwd" }] } })],
    [
      "files over the limit",
      "RequestMalformedError",
      says("m", "x", { message: { parts: [{ raw: Buffer.alloc(2 * 1024 * 1024 + 1).toString("base64") }] } }),
    ],
    [
      "an output other than text",
      "ContentTypeNotSupportedError",
      says("m", "x", { configuration: { acceptedOutputModes: ["image/png"] } }),
    ],
    [
      "an address for notifications",
      "PushNotificationNotSupportedError",
      says("m", "x", { configuration: { taskPushNotificationConfig: { url: "http://127.0.0.1/" } } }),
    ],
    ["no text", "RequestMalformedError", says("m", " ")],
    ["a command", "UnsupportedOperationError", says("m", "/status")],
    ["a command with arguments", "UnsupportedOperationError", says("m", " /model x")],
    ["a text over the limit", "RequestMalformedError", says("m", "x".repeat(64_001))],
    ["an id over the limit", "RequestMalformedError", says("m".repeat(129), "x")],
    ["the role of an agent", "RequestMalformedError", says("m", "x", { message: { role: "ROLE_AGENT" } })],
  ])("%s", async (_what, name, request) => {
    const { client, host } = await startScene();
    await expect(client.sendMessage(request)).rejects.toMatchObject({ name: expect.stringContaining(name) as string });
    expect(host.received).toEqual([]);
  });

  test("but a path at the beginning is text", async () => {
    const { client, host } = await startScene();
    await client.sendMessage(says("m", "/etc/hosts has no entry.", { configuration: AT_ONCE }));
    expect(host.received).toHaveLength(1);
  });

  test("a second one in an open context, or to a task", async () => {
    const { client, host } = await startScene();
    const { id, contextId } = await taskOf(client, says("m-1", "Hello", { configuration: AT_ONCE }));
    const refused = { name: expect.stringContaining("UnsupportedOperationError") as string };
    for (const message of [{ contextId }, { taskId: id }])
      await expect(client.sendMessage(says("m-2", "Hello", { message }))).rejects.toMatchObject(refused);
    expect(host.received).toHaveLength(1);
  });

  test("another version, an unknown method, and bytes that are no request", async () => {
    const { channel } = await startScene();
    const call = async (body: object, version = "1.0"): Promise<unknown> => {
      const request = requestOf(JSON.stringify({ jsonrpc: "2.0", id: 7, ...body }), TOKENS.research, "/a2a/v1");
      request.headers.set("a2a-version", version);
      return (await channel.handleWebhook(request, { signal })).json();
    };
    expect(await call({ method: "GetTask", params: { id: "x" } }, "0.3")).toMatchObject({ id: 7, error: { code: -32_009 } });
    expect(await call({ method: "Nothing", params: {} })).toMatchObject({ error: { code: -32_601 } });
    expect(await call({ method: "GetTask", params: [] })).toMatchObject({ error: { message: "Invalid method parameters." } });
  });
});

test("a flood of one peer is refused, and another peer is answered", async () => {
  const host = new TestHost({ clock: new StillClock() });
  const { client, channel, answer } = await startScene(host);
  let accepted = 0;
  const refusals: string[] = [];
  for (let count = 0; count < 30; count += 1) {
    const sent = client.sendMessage(says(`m-${count}`, "Hello", { configuration: AT_ONCE }));
    await sent.then(
      () => (accepted += 1),
      (error: unknown) => refusals.push(String(error)),
    );
    if (accepted === 8 && refusals.length === 1) for (let of = 0; of < 8; of += 1) await answer(`Hi ${of}`, { of, endsTurn: "done" });
  }
  expect(refusals[0]).toContain("8 tasks are open");
  expect(accepted).toBeLessThanOrEqual(20);
  const other = await peerClient(channel, TOKENS.other);
  expect((await taskOf(other, says("m", "Hello", { configuration: AT_ONCE }))).status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
  const statuses = new Set<number>();
  for (let count = 0; count < 250; count += 1)
    statuses.add((await channel.handleWebhook(requestOf("{}", TOKENS.research, "/a2a/v1"), { signal })).status);
  expect([...statuses]).toEqual([200, 429]);
});

test("no more than four requests of a peer wait; one that ends makes room", async () => {
  const { client, answer } = await startScene();
  const streams = [0, 1, 2, 3].map((count) => client.sendMessageStream(says(`m-${count}`, "Hello")));
  await Promise.all(streams.map((stream) => stream.next()));
  const fifth = client.sendMessageStream(says("m-4", "Hello"));
  await expect(fifth.next().then(() => fifth.next())).rejects.toThrow("wait at once");
  await answer("Hi");
  for await (const _event of streams[0] ?? []);
  expect(await taskOf(client, says("m-0", "Hello"))).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED } });
});

test("a task that was not answered in two hours has failed, and a failure of this machine is not explained to peers", async () => {
  const clock = new StillClock();
  const host = new TestHost({ clock });
  const { client } = await startScene(host);
  const { id } = await taskOf(client, says("m-1", "Hello", { configuration: AT_ONCE }));
  clock.nowMs += 2 * 60 * 60_000;
  expect((await client.getTask({ id, tenant: "" })).status?.state).toBe(TaskState.TASK_STATE_FAILED);
  host.state.get = () => Promise.reject(new Error("/home/ada/.factotum/state.db is locked"));
  await expect(client.getTask({ id, tenant: "" })).rejects.toThrow("internal error");
  expect(host.logLines.join("\n")).toContain("is locked");
});

function listing(more: { readonly includeArtifacts?: boolean } = {}): Parameters<Client["listTasks"]>[0] {
  return { tenant: "", contextId: "", status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: "", statusTimestampAfter: undefined, ...more };
}

/** A clock that passes only when a test says so. */
class StillClock implements Clock {
  nowMs = 1_800_000_000_000;

  now(): number {
    return this.nowMs;
  }

  monotonic(): number {
    return this.nowMs;
  }

  schedule(): Disposable {
    return { [Symbol.dispose]: () => undefined };
  }
}
