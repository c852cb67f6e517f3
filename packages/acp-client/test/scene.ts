import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type {
  CommandRequest,
  AgentMessage,
  AssistantMessage,
  Clock,
  ModelError,
  ModelEvent,
  RunFacts,
  ToolCallContent,
  ToolResultMessage,
} from "@factotum/agent-contract";
import { AcpAgents, type AgentLimits, type AgentServer } from "../src/index.ts";
import { plainRunner, type PlainRunner } from "@factotum/testing-product";

const SCRIPT = fileURLToPath(new URL("scripted-agent.ts", import.meta.url));

/** A clock whose timers fire when the test says so. */
export interface ManualClock extends Clock {
  /** Fires the timers that were set for this time. */
  fire(delayMs: number): void;
  readonly delays: readonly number[];
}

/** What the gateway answers to a call of the agent. */
export type CallHandler = (call: ToolCallContent) => Partial<ToolResultMessage> | Promise<Partial<ToolResultMessage>>;

/** Something that the agent has done itself, with what it says of that. */
interface OwnCall {
  readonly call: ToolCallContent;
  readonly result: ToolResultMessage;
}

/** How a prompt ended. */
export interface Answered {
  readonly text: string;
  readonly thoughts: string;
  readonly messages: readonly AssistantMessage[];
  readonly error: ModelError | undefined;
  readonly ownCalls: readonly OwnCall[];
}

/** Agents of the scripted program, with a gateway that runs no loop but answers calls. */
export interface Scene extends AsyncDisposable {
  readonly agents: AcpAgents;
  readonly runner: PlainRunner<CommandRequest, RunFacts>;
  readonly clock: ManualClock;
  readonly folder: string;
  readonly remembered: string[];
  /** Asks in the conversation and follows the answer to its end, calls included. */
  ask(text: string, options?: AskOptions): Promise<Answered>;
}

interface AskOptions {
  readonly onCall?: CallHandler;
  /** Said while a call runs, and the event that it comes by. */
  readonly meanwhile?: string;
  readonly eventId?: string;
  readonly signal?: AbortSignal;
  readonly known?: string;
  readonly isResumed?: boolean;
  readonly onEvent?: (event: ModelEvent) => void;
}

/** Opens a scene. `env`: of the agent. */
export async function openScene({
  env = {},
  command = process.execPath,
  limits = {},
  mcpServers = [],
  logins = [],
}: {
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly limits?: Partial<AgentLimits>;
  readonly mcpServers?: readonly AgentServer[];
  /** Names of servers at which the gateway has logged in. */
  readonly logins?: readonly string[];
} = {}): Promise<Scene> {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-acp-client-"));
  const [runner, clock, remembered] = [plainRunner<CommandRequest, RunFacts>(), manualClock(), [] as string[]];
  const agents = new AcpAgents({
    settings: () => ({ scripted: { command, args: [SCRIPT], env, mcpServers } }),
    runner,
    clock,
    version: "1.2.3",
    searchPath: process.env["PATH"] ?? "",
    // eslint-disable-next-line typescript/require-await -- the port's shape
    readSecret: async (secret) => {
      if (typeof secret === "string") return secret;
      throw new Error("the variable is not set");
    },
    // eslint-disable-next-line typescript/require-await -- the port's shape
    hasLogin: async (server) => logins.includes(server),
    hideSecrets: (text) => text.replaceAll("hunter2", "***"),
    limits,
  });
  const history: AgentMessage[] = [];
  return {
    agents,
    runner,
    clock,
    folder,
    remembered,
    ask: async (text, options = {}) => {
      history.push({ role: "user", content: [{ type: "text", text }], timestamp: 0 });
      return ask(agents, history, { folder, remembered, ...options });
    },
    [Symbol.asyncDispose]: async () => {
      await agents.closeAll();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ask(
  agents: AcpAgents,
  history: AgentMessage[],
  {
    folder,
    remembered,
    known,
    isResumed = false,
    onCall,
    meanwhile,
    eventId = "said",
    onEvent,
    signal = new AbortController().signal,
  }: AskOptions & {
    readonly folder: string;
    readonly remembered: string[];
  },
): Promise<Answered> {
  const run: RunFacts = {
    runId: "run",
    kind: "user",
    agentId: "main",
    sessionKey: "agent:main:main",
    sessionId: "conversation",
    workspace: folder,
    owner: true,
    timeZone: "UTC",
  };
  const client = agents.client("scripted", {
    run,
    isResumed,
    ...(known === undefined ? {} : { known }),
    // eslint-disable-next-line typescript/require-await -- the port's shape
    remember: async (id) => void remembered.push(id),
  });
  const messages: AssistantMessage[] = [];
  const ownCalls: OwnCall[] = [];
  for (;;) {
    const end = await lastOf(
      client.stream({ system: { stable: "", session: "" }, messages: [...history], tools: [] }, { signal }),
      onEvent,
    );
    if (end.type === "message-failed" && end.partial !== undefined) history.push(end.partial);
    if (end.type === "message-failed")
      return answered(end.partial === undefined ? messages : [...messages, end.partial], end.error, ownCalls);
    messages.push(end.message);
    history.push(end.message);
    const calls = end.message.content.filter((block) => block.type === "toolCall");
    if (calls.length === 0) return answered(messages, undefined, ownCalls);
    history.push(...(end.results ?? []));
    for (const result of end.results ?? []) {
      const call = calls.find(({ id, external }) => id === result.toolCallId && external === true);
      if (call !== undefined) ownCalls.push({ call, result });
    }
    for (const call of calls.filter(({ external }) => external !== true)) {
      const result = (await onCall?.(call)) ?? { isError: true, content: [{ type: "text" as const, text: "refused" }] };
      history.push({ role: "toolResult", toolCallId: call.id, toolName: call.name, content: [], isError: false, timestamp: 0, ...result });
      const parts = { body: meanwhile ?? "", systemEvents: [], source: { channel: "test", eventId } };
      if (meanwhile !== undefined) history.push({ role: "user", content: [{ type: "text", text: meanwhile }], parts, timestamp: 0 });
    }
  }
}

type End = Extract<ModelEvent, { readonly type: "message-end" | "message-failed" }>;

async function lastOf(stream: AsyncIterable<ModelEvent>, onEvent: AskOptions["onEvent"]): Promise<End> {
  let end: End | undefined;
  for await (const event of stream) {
    onEvent?.(event);
    if (event.type === "message-end" || event.type === "message-failed") end = event;
  }
  if (end === undefined) throw new Error("the stream ended without an end");
  return end;
}

function answered(messages: readonly AssistantMessage[], error: ModelError | undefined, ownCalls: readonly OwnCall[]): Answered {
  const join = (type: "text" | "thinking"): string =>
    messages.flatMap(({ content }) => content.flatMap((block) => (block.type === type ? [block.text] : []))).join("");
  return { text: join("text"), thoughts: join("thinking"), messages, error, ownCalls };
}

function manualClock(): ManualClock {
  const timers = new Set<{ readonly delayMs: number; readonly callback: () => void }>();
  return {
    now: () => 1_000,
    monotonic: () => 1_000,
    schedule: (delayMs, callback) => {
      const timer = { delayMs, callback };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    fire: (delayMs) => {
      for (const timer of timers) if (timer.delayMs === delayMs && timers.delete(timer)) timer.callback();
    },
    get delays() {
      return [...timers].map(({ delayMs }) => delayMs);
    },
  };
}
