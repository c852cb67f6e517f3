import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import type { AgentContext, SessionUpdate } from "@agentclientprotocol/sdk";

/**
 * An agent of the SDK over standard input and output that does what the first line of a prompt says, and one that breaks the protocol if `FAULT` says so. `LOADS`
 * lets it load sessions.
 */

const fault = process.env["FAULT"];
const { session, fs, terminal } = methods.client;

/** One prompt at a time. */
interface Turn {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly words: string;
  readonly cancelled: Promise<void>;
}

async function say(text: string, { client, sessionId }: Pick<Turn, "client" | "sessionId">, thought = false): Promise<void> {
  const sessionUpdate = thought ? "agent_thought_chunk" : "agent_message_chunk";
  await client.notify(session.update, { sessionId, update: { sessionUpdate, content: { type: "text", text } } });
}

const ACTIONS: Readonly<Record<string, (turn: Turn) => Promise<string>>> = {
  say: async ({ words }) => words,
  env: async () => JSON.stringify(process.env),
  servers: async () => JSON.stringify(servers),
  nothing: async () => "",
  think: async (turn) => {
    await say("Hm.", turn, true);
    return "Thought.";
  },
  work: async (turn) => {
    const { client, sessionId, words } = turn;
    const update = async (said: SessionUpdate): Promise<void> => client.notify(session.update, { sessionId, update: said });
    const step = async (status: "in_progress" | "completed"): Promise<void> =>
      update({ sessionUpdate: "plan", entries: [{ content: "Edit it", priority: "high", status }] });
    await say("I edit it.", turn);
    await step("in_progress");
    await update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Edit", status: "pending" });
    await update({
      sessionUpdate: "tool_call_update",
      toolCallId: "1",
      title: "Edit a.txt",
      kind: "edit",
      status: "in_progress",
      locations: [{ path: "/work/a.txt", line: 3 }],
      content: [{ type: "content", content: { type: "text", text: "Opened with hunter2." } }],
    });
    if (words === "stuck") await turn.cancelled;
    // Its own call needs the gateway.
    if (words !== "") await client.request(fs.writeTextFile, { sessionId, path: words, content: "written" });
    await update({
      sessionUpdate: "tool_call_update",
      toolCallId: "1",
      status: "completed",
      content: [
        { type: "content", content: { type: "text", text: "Opened with hunter2.\nSaved." } },
        { type: "diff", path: "/work/a.txt", oldText: "one", newText: "two" },
      ],
    });
    await update({ sessionUpdate: "tool_call", toolCallId: "2", title: "Run the tests", kind: "execute", status: "in_progress" });
    await update({ sessionUpdate: "tool_call_update", toolCallId: "2", status: "failed", rawOutput: "1 test failed" });
    await update({ sessionUpdate: "tool_call", toolCallId: "3", title: "Tidy up", status: "in_progress" });
    await say("All edited.", turn);
    await step("completed");
    return "";
  },
  read: async ({ client, sessionId, words }) => (await client.request(fs.readTextFile, { sessionId, path: words })).content,
  write: async ({ client, sessionId, words }) => {
    await client.request(fs.writeTextFile, { sessionId, path: words, content: "written" });
    return "Written.";
  },
  run: async ({ client, sessionId, words }) => {
    const { terminalId } = await client.request(terminal.create, { sessionId, command: words });
    const { exitCode } = await client.request(terminal.waitForExit, { sessionId, terminalId });
    const { output } = await client.request(terminal.output, { sessionId, terminalId });
    await client.request(terminal.release, { sessionId, terminalId });
    return `${exitCode}: ${output}`;
  },
  ask: async ({ client, sessionId, words }) => {
    const { outcome } = await client.request(session.requestPermission, {
      sessionId,
      toolCall: { toolCallId: "2", title: words, kind: "read", rawInput: { path: "/etc/shadow" } },
      options: [
        { optionId: "always", name: "Always", kind: "allow_always" },
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
  },
  wait: async (turn) => {
    await say("Waiting.", turn);
    await turn.cancelled;
    return "";
  },
  hang: async (turn) => {
    await say("Hanging.", turn);
    const { client, sessionId, words } = turn;
    if (words !== "") await client.request(fs.writeTextFile, { sessionId, path: words, content: "hanging" });
    return new Promise<never>(() => undefined);
  },
  die: async (turn) => {
    await say("Half an ", turn);
    process.stderr.write("out of ideas\n");
    process.exit(3);
  },
};

const cancels = new Map<string, () => void>();
/** The tool servers of the newest session. */
let servers: readonly unknown[] = [];
let count = 0;

function serve(): void {
  const app = agent({ name: "scripted" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: fault === "version" ? 7 : 1,
      agentCapabilities: { loadSession: process.env["LOADS"] === "1", mcpCapabilities: { http: process.env["HTTP"] === "1" } },
    }))
    .onRequest(methods.agent.session.new, ({ params }) => {
      servers = params.mcpServers;
      return { sessionId: `session-${process.pid}-${(count += 1)}` };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      servers = params.mcpServers;
      await say("An earlier answer.", { client, sessionId: params.sessionId });
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const text = params.prompt.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
      // A task of the product comes with a context.
      const [line = ""] = (text.split("[Subagent Task]: ").at(-1) ?? "").split("\n");
      const [action = "", ...words] = line.split(" ");
      const cancelled = Promise.withResolvers<void>();
      cancels.set(params.sessionId, cancelled.resolve);
      const turn = { client, sessionId: params.sessionId, words: words.join(" "), cancelled: cancelled.promise };
      const isAgain = text.includes("was restarted");
      const run = Object.hasOwn(ACTIONS, action) && !isAgain ? ACTIONS[action] : async () => `${turn.sessionId} heard: ${text}`;
      const answer = await run?.(turn).catch((error: unknown) => `Error: ${error instanceof Error ? error.message : "unknown"}`);
      if (answer !== undefined && answer !== "") await say(answer, turn);
      const stopReason = action === "wait" ? ("cancelled" as const) : ("end_turn" as const);
      return { stopReason, usage: { totalTokens: 15, inputTokens: 10, outputTokens: 5 } };
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => cancels.get(params.sessionId)?.());
  app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
}

function writeForEver(text: string): void {
  process.stdout.write(text, () => writeForEver(text));
}

/** Answers like an agent, until its fault comes in the first prompt. */
function misbehave(): void {
  const send = (message: unknown): void =>
    void process.stdout.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  const chunk = (text: string): unknown => ({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
  });
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line) as { readonly id?: number; readonly method?: string };
    if (method === "initialize" && fault !== "silent") send({ jsonrpc: "2.0", id, result: { protocolVersion: 1 } });
    if (method === "session/new") send({ jsonrpc: "2.0", id, result: { sessionId: "s" } });
    if (method !== "session/prompt") return;
    switch (fault) {
      case "flood":
        return writeForEver(`${JSON.stringify(chunk("x".repeat(100_000)))}\n`);
      case "long-line":
        return writeForEver("y".repeat(100_000));
      case "wrong":
        send("no json at all {");
        send([1, 2, 3]);
        send({ jsonrpc: "2.0", id: 4711, result: {} });
        send({ jsonrpc: "2.0", method: "session/update", params: { sessionId: 5, update: "?" } });
        send({
          jsonrpc: "2.0",
          method: "session/update",
          params: { sessionId: "another", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "not mine" } } },
        });
        send({ jsonrpc: "2.0", id: 1, method: "fs/read_text_file", params: { sessionId: "another", path: "/etc/passwd" } });
        send({ jsonrpc: "2.0", id: 2, method: "fs/unknown", params: {} });
        send(chunk("Still fine."));
        return send({ jsonrpc: "2.0", id, result: { stopReason: "end_turn" } });
      default:
        return undefined;
    }
  });
}

if (fault === undefined || fault === "version") serve();
else misbehave();
