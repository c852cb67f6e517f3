import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  client,
  methods,
  ndJsonStream,
  type ClientApp,
  type ClientCapabilities,
  type ClientContext,
  type InitializeResponse,
  type NewSessionResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { productEntry } from "@factotum/testing-product";

/** How an editor behaves. */
export interface EditorOptions {
  readonly home: string;
  readonly args?: readonly string[];
  readonly capabilities?: ClientCapabilities;
  /** Answers what those capabilities offer. */
  readonly serve?: (app: ClientApp) => void;
  /** Answers a request for a decision; the first option that allows if absent. */
  readonly decide?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => Promise<RequestPermissionResponse> | RequestPermissionResponse;
}

/** The process of `factotum acp`, and the SDK's own client that talks with it. */
export interface Editor extends AsyncDisposable {
  readonly agent: ClientContext;
  readonly initialized: InitializeResponse;
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Every update of a session so far. */
  updates(sessionId: string): readonly SessionUpdate[];
  /** The text of the assistant so far, thoughts left out. */
  text(sessionId: string): string;
  /** Resolves with the first update that fits, of those that came or come. */
  shown(sessionId: string, fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  create(cwd: string): Promise<NewSessionResponse>;
  prompt(sessionId: string, text: string): Promise<string>;
  /** What the process wrote to standard error. */
  errors(): string;
}

/** Chooses an option of a request for a decision by its kind. */
export function choose(kind: string): (request: RequestPermissionRequest) => RequestPermissionResponse {
  return ({ options }) => {
    const option = options.find((one) => one.kind === kind);
    return { outcome: option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId } };
  };
}

/** Starts `factotum acp` for a state directory, as an editor does. */
export async function openEditor({
  home,
  args = [],
  capabilities = {},
  serve,
  decide = choose("allow_once"),
}: EditorOptions): Promise<Editor> {
  const child = spawn(process.execPath, [productEntry, "acp", ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: home, FACTOTUM_HOME: home },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (part: Buffer) => void (errors += part.toString()));
  const updates = new Map<string, SessionUpdate[]>();
  const waiting = new Set<() => void>();
  const app = client({ name: "test" })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => decide(params, signal))
    .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
      updates.set(sessionId, [...(updates.get(sessionId) ?? []), update]);
      for (const look of waiting) look();
    });
  serve?.(app);
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(child.stdin), output));
  const of = (sessionId: string): readonly SessionUpdate[] => updates.get(sessionId) ?? [];
  const initialized = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: capabilities });
  return {
    agent,
    initialized,
    process: child,
    updates: of,
    errors: () => errors,
    text: (sessionId) => of(sessionId).map(textOf).join(""),
    shown: async (sessionId, fits) => {
      const { promise, resolve } = Promise.withResolvers<SessionUpdate>();
      const look = (): void => {
        const found = of(sessionId).find(fits);
        if (found !== undefined) resolve(found);
      };
      waiting.add(look);
      look();
      return promise.finally(() => waiting.delete(look));
    },
    create: async (cwd) => agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
    prompt: async (sessionId, text) =>
      (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })).stopReason,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}

function textOf(update: SessionUpdate): string {
  return update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "";
}
