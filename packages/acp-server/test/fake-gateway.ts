import type {
  AgentRunResult,
  Approval,
  ChatEntry,
  ChatEvent,
  EditorAnswer,
  EditorRequest,
  LiveRun,
  RpcMethod,
  RpcMethods,
  SessionSettings,
  SessionSummary,
} from "@factotum/protocol";
import type { GatewayConnection, GatewayEvent } from "../src/index.ts";

const SETTINGS: SessionSettings = {
  mode: "ask",
  modes: [
    { id: "read-only", effect: "nothing changes" },
    { id: "ask", effect: "as configured" },
  ],
  model: "test/one",
  models: [{ reference: "test/one" }, { reference: "test/two", alias: "two" }],
  contextWindow: 1_000,
  thinkingLevels: ["off", "high"],
  commands: [{ name: "status", summary: "show the state" }],
};

/** An error as the gateway's client throws it. */
export class FakeRpcError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Handlers = { [Method in RpcMethod]?: (params: RpcMethods[Method]["params"]) => Promise<RpcMethods[Method]["result"]> };

/** A gateway of one agent, whose runs the test plays. */
export class FakeGateway {
  readonly asked: { readonly method: RpcMethod; readonly params: unknown }[] = [];
  readonly sessions = new Map<string, SessionSummary>();
  readonly history = new Map<string, readonly ChatEntry[]>();
  settings: SessionSettings = SETTINGS;
  waiting: readonly Approval[] = [];
  /** The active run when a client subscribes. */
  live: LiveRun | undefined;
  /** Who has offered what to which session. */
  readonly offers = new Map<string, RpcMethods["editor.attach"]["params"]>();
  /** The folder of new sessions with its links resolved, if it is another one. */
  realFolder: string | undefined;
  /** True if it does not wait for answers any longer. */
  givesUp = false;
  /** True if another editor was there before. */
  isTaken = false;
  /** Set if it refuses offers. */
  refusal: Error | undefined;
  readonly #asked = new Map<string, (answer: EditorAnswer) => void>();
  /** Set while it cannot be reached. */
  problem: Error | undefined;
  connections = 0;
  #listeners = new Set<(event: GatewayEvent) => void>();
  #closed = new AbortController();
  /** Runs that were asked for and have not ended, oldest first. */
  readonly #runs: {
    readonly params: RpcMethods["agent"]["params"];
    readonly end: (result: AgentRunResult) => void;
    readonly fail: (error: Error) => void;
  }[] = [];

  constructor() {
    this.addSession("agent:main:main");
  }

  addSession(key: string, workspace?: string): SessionSummary {
    const counts = { createdAtMs: 0, activeAtMs: 0, running: false, contextTokens: 10, totalTokens: 10, costUsd: 0.5 };
    const names = { key, sessionId: "s", agentId: "main", kind: "other" as const, displayName: "A conversation" };
    const session = { ...names, ...counts, ...(workspace === undefined ? {} : { workspace }) };
    this.sessions.set(key, session);
    return session;
  }

  connect = async (): Promise<GatewayConnection> => {
    if (this.problem !== undefined) throw this.problem;
    this.connections += 1;
    this.#closed = new AbortController();
    const closed = this.#closed.signal;
    return {
      request: async (method, params) => this.#answer(method, params, closed),
      upload: async (image) => {
        if (image.length === 0) throw new FakeRpcError("invalid-request", "This is no image.");
        return `upload:${Buffer.from(image).toString()}`;
      },
      follow: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
      closed,
      [Symbol.dispose]: () => this.drop(),
    };
  };

  /** Breaks the connection. */
  drop(): void {
    this.#closed.abort();
    this.#listeners.clear();
    for (const { fail } of this.#runs.splice(0)) fail(new FakeRpcError("connection", "The gateway closed the connection."));
  }

  emit(sessionKey: string, ...events: readonly ChatEvent[]): void {
    for (const event of events) for (const listener of this.#listeners) listener({ name: "chat", payload: { sessionKey, event } });
  }

  /** Asks the editor of a session. */
  async ask(sessionKey: string, request: EditorRequest): Promise<EditorAnswer> {
    const id = String(this.#asked.size + 1);
    const { promise, resolve } = Promise.withResolvers<EditorAnswer>();
    this.#asked.set(id, resolve);
    for (const listener of this.#listeners) listener({ name: "editor-request", payload: { sessionKey, id, request } });
    return promise;
  }

  note(sessionKey: string, text: string): void {
    for (const listener of this.#listeners) listener({ name: "editor-note", payload: { sessionKey, text } });
  }

  /** Calls wait for the owner, or cease to. */
  setWaiting(waiting: readonly Approval[]): void {
    this.waiting = waiting;
    for (const listener of this.#listeners) listener({ name: "approvals-change", payload: {} });
  }

  /** Another client changes a session. */
  change(sessionKey: string, settings: Partial<SessionSettings>): void {
    this.settings = { ...this.settings, ...settings };
    for (const listener of this.#listeners) listener({ name: "sessions-change", payload: { keys: [sessionKey] } });
  }

  requests(method: RpcMethod): readonly unknown[] {
    return this.asked.filter((one) => one.method === method).map(({ params }) => params);
  }

  /** Starts the run of the oldest message that has none; resolves once there is one. Without an id the message gets no run: it is a command, or an answer. */
  async begin(runId = "r1"): Promise<{ readonly key: string; readonly end: (result?: Partial<AgentRunResult>) => void }> {
    while (this.#runs.length === 0) await new Promise<void>((resolve) => void setImmediate(resolve));
    const run = this.#runs.shift();
    const key = run?.params.sessionKey ?? "";
    const said: ChatEntry = {
      type: "user",
      id: "u",
      timestampMs: 0,
      text: run?.params.message ?? "",
      channel: "cli",
      ...keyOf(run?.params),
    };
    this.emit(key, { type: "entry", entry: said });
    if (runId !== "") this.emit(key, { type: "run-start", runId, startedAtMs: 0 });
    const end = (result: Partial<AgentRunResult> = {}): void => {
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 };
      run?.end({ sessionKey: key, runId, outcome: { type: "done" }, text: "", usage, ...result });
      if (runId !== "") this.emit(key, { type: "run-end", runId, outcome: result.outcome ?? { type: "done" } });
    };
    return { key, end };
  }

  async #answer<Method extends RpcMethod>(
    method: Method,
    params: RpcMethods[Method]["params"],
    closed: AbortSignal,
  ): Promise<RpcMethods[Method]["result"]> {
    this.asked.push({ method, params });
    if (closed.aborted) throw new FakeRpcError("connection", "The connection is closed.");
    const answer = this.#handlers[method];
    if (answer === undefined) throw new FakeRpcError("method-unknown", method);
    return answer(params);
  }

  readonly #handlers: Handlers = {
    "agents.list": async () => ({
      agents: [{ id: "main", name: "Main", isDefault: true, mainSessionKey: "agent:main:main", workspace: "/home/agent" }],
    }),
    "sessions.create": async ({ key, workspace }) => {
      if (workspace?.startsWith("/") !== true) throw new FakeRpcError("invalid-request", `${workspace ?? ""} is no absolute path.`);
      return { session: this.addSession(key, this.realFolder ?? workspace) };
    },
    "sessions.patch": async ({ key, workspace }) => ({ session: this.addSession(key, workspace ?? undefined) }),
    "sessions.resolve": async ({ key = "" }) => {
      const session = [...this.sessions.values()].find((one) => one.key.toLowerCase() === key.toLowerCase());
      if (session === undefined) throw new FakeRpcError("not-found", `There is no session "${key}".`);
      return { session };
    },
    "sessions.list": async ({ cursor }) =>
      cursor === undefined ? { sessions: [...this.sessions.values()], cursor: "2" } : { sessions: [] },
    "sessions.delete": async ({ key }) => ({ deleted: this.sessions.delete(key) }),
    "sessions.settings": async () => this.settings,
    "sessions.choose": async ({ key: _key, ...choice }) => {
      if (choice.model === "test/none") throw new FakeRpcError("invalid-request", "There is no model test/none.");
      const { thinking = this.settings.thinking ?? null, mode = this.settings.mode, model = this.settings.model ?? null } = choice;
      const { thinking: _thinking, model: _model, ...others } = this.settings;
      this.settings = { ...others, mode, ...(thinking === null ? {} : { thinking }), ...(model === null ? {} : { model }) };
      return this.settings;
    },
    "chat.subscribe": async ({ sessionKey = "", limit = 50 }) => {
      const entries = this.history.get(sessionKey) ?? [];
      const before = entries.length > limit ? { before: String(entries.length - limit) } : {};
      return { sessionKey, entries: entries.slice(-limit), queued: 0, ...before, ...(this.live === undefined ? {} : { live: this.live }) };
    },
    "chat.history": async ({ sessionKey, before = "0", limit = 50 }) => {
      const start = Math.max(0, Number(before) - limit);
      const entries = (this.history.get(sessionKey) ?? []).slice(start, Number(before));
      return start === 0 ? { entries } : { entries, before: String(start) };
    },
    "editor.attach": async (offer) => {
      if (this.refusal !== undefined) throw this.refusal;
      if (!this.isTaken) this.offers.set(offer.sessionKey, offer);
      return { attached: !this.isTaken, problems: [] };
    },
    "editor.detach": async ({ sessionKey }) => ({ detached: this.offers.delete(sessionKey) }),
    "editor.answer": async ({ id, answer }) => {
      const resolve = this.#asked.get(id);
      resolve?.(answer);
      return { taken: resolve !== undefined && !this.givesUp };
    },
    "chat.unsubscribe": async () => ({ subscribed: false }),
    "chat.abort": async () => ({ aborted: true, dropped: 0 }),
    "approvals.list": async () => ({ waiting: this.waiting, grants: [] }),
    "approvals.decide": async ({ id, decision }) => {
      const [approval] = this.waiting.filter((one) => one.id === id);
      if (approval === undefined) throw new FakeRpcError("not-found", "No such call waits.");
      this.setWaiting(this.waiting.filter((one) => one.id !== id));
      return { approval: { ...approval, decision } };
    },
    "chat.send": async ({ sessionKey = "", text, idempotencyKey }) => {
      this.#runs.push({ params: { message: text, sessionKey, idempotencyKey }, end: () => undefined, fail: () => undefined });
      return { sessionKey, status: "accepted" };
    },
    agent: async (params) => {
      const { promise, resolve: end, reject: fail } = Promise.withResolvers<AgentRunResult>();
      this.#runs.push({ params, end, fail });
      return promise;
    },
  };
}

function keyOf(params: RpcMethods["agent"]["params"] | undefined): { readonly idempotencyKey?: string } {
  return params === undefined ? {} : { idempotencyKey: params.idempotencyKey };
}
