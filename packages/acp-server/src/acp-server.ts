import { basename } from "node:path";
import type {
  AgentContext,
  ClientCapabilities,
  InitializeRequest,
  InitializeResponse,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  ResumeSessionRequest,
} from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk";
import type { Random } from "@factotum/agent-contract";
import type { SessionSummary } from "@factotum/protocol";
import type { GatewayConnection } from "./gateway-connection.ts";
import { GatewayLink } from "./gateway-link.ts";
import { parsePrompt } from "./parse-prompt.ts";
import { AcpSession, busy } from "./sessions/acp-session.ts";
import { workspaceOf } from "./sessions/list-sessions.ts";
import { configOptionsOf, modesOf } from "./sessions/session-options.ts";
import { withUnsavedText } from "./sessions/unsaved-files.ts";

/** What an editor's agent needs. */
export interface AcpServerOptions {
  /** Connects to the gateway, which is started if it does not run. Rejects with what to do. */
  readonly connect: () => Promise<GatewayConnection>;
  /** The agent of new sessions; absent: the default one. */
  readonly agentId?: string | undefined;
  readonly version: string;
  readonly random: Random;
  /** Receives errors that no answer to the client reports. */
  readonly onError: (error: Error) => void;
}

const PROTOCOL = 1;

/** Sessions that a client may have open at a time. */
const MAX_SESSIONS = 100;

/** One client's sessions. */
export class AcpServer implements Disposable {
  readonly link: GatewayLink;
  readonly #options: AcpServerOptions;
  readonly #client: AgentContext;
  readonly #onFlood: () => void;
  readonly #sessions = new Map<string, AcpSession>();
  /** What the client does for its agent. */
  #offers: ClientCapabilities = {};
  /** Sessions that are being opened count, too. */
  #opening = 0;

  constructor(options: AcpServerOptions, { client, onFlood }: { readonly client: AgentContext; readonly onFlood: () => void }) {
    this.#options = options;
    this.#client = client;
    this.#onFlood = onFlood;
    this.link = new GatewayLink(options.connect);
  }

  initialize({ protocolVersion, clientCapabilities = {} }: InitializeRequest): InitializeResponse {
    if (protocolVersion < PROTOCOL) throw RequestError.unsupportedProtocolVersion(protocolVersion, [PROTOCOL]);
    this.#offers = clientCapabilities;
    return {
      protocolVersion: PROTOCOL,
      agentInfo: { name: "factotum", title: "Factotum", version: this.#options.version },
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true, image: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
    };
  }

  /** The agent of new sessions and of the list. Rejects with a `RequestError` for an unknown one. */
  async agentId(): Promise<string> {
    const { agents } = await this.link.request("agents.list", {});
    const wanted = this.#options.agentId?.toLowerCase();
    const agent = agents.find(({ id, isDefault }) => (wanted === undefined ? isDefault : id === wanted));
    if (agent !== undefined) return agent.id;
    const known = agents.map(({ id }) => id).join(", ");
    throw RequestError.invalidParams({ reason: "not-found" }, `There is no agent "${wanted ?? ""}". Configured: ${known}.`);
  }

  async create(request: NewSessionRequest): Promise<NewSessionResponse> {
    using _place = this.#admit(request);
    const { cwd } = request;
    const key = `agent:${await this.agentId()}:acp:${this.#options.random.uuid().slice(0, 13)}`;
    const displayName = basename(cwd).slice(0, 200);
    const { session } = await this.link.request("sessions.create", {
      key,
      workspace: cwd,
      ...(displayName === "" ? {} : { displayName }),
    });
    const opened = this.#add(session, session.workspace ?? cwd, request);
    await opened.follow();
    return { sessionId: session.key, ...(await this.#stateOf(opened, { isNew: true })) };
  }

  /** Opens a conversation that exists, with its history or without. */
  async open(request: ResumeSessionRequest, how: "load" | "resume"): Promise<LoadSessionResponse> {
    using _place = this.#admit(request);
    const session = await this.#find(request.sessionId);
    const workspace = await this.#workspaceFor(session, request.cwd);
    const known = this.#sessions.get(session.key);
    if (known?.isBusy === true) throw busy();
    await known?.leave();
    const opened = this.#add(session, workspace, request);
    await (how === "load" ? opened.replay() : opened.resume());
    return this.#stateOf(opened, { isNew: false });
  }

  /** A session that the client has open. Throws a `RequestError` for any other. */
  session(id: string): AcpSession {
    const session = this.find(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  }

  find(id: string): AcpSession | undefined {
    return this.#sessions.get(id);
  }

  async prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const session = this.session(sessionId);
    const { workspace } = session;
    const options = { sessionId, workspace, client: this.#client, signal };
    const blocks = this.#offers.fs?.readTextFile === true ? await withUnsavedText(prompt, options) : prompt;
    return session.prompt(parsePrompt(blocks), signal);
  }

  /** Stops the client's prompt and forgets the session; the conversation stays. */
  async close(id: string): Promise<void> {
    const session = this.session(id);
    this.#sessions.delete(id);
    await session.close();
  }

  /** Deletes a conversation that an editor began. Others hold more than an editor's work, and are deleted elsewhere. */
  async delete(id: string): Promise<void> {
    const { key } = await this.#find(id);
    if (!isEditors(key))
      throw RequestError.invalidParams(
        { reason: "forbidden" },
        "Only conversations of editors are deleted here. Use the Control UI for this one.",
      );
    const session = this.#sessions.get(key);
    this.#sessions.delete(key);
    await session?.close();
    await this.link.request("sessions.delete", { key });
  }

  /** Call it when the client is gone. Its runs continue: their answers are in the conversations. */
  [Symbol.dispose](): void {
    this.#sessions.clear();
    this.link[Symbol.dispose]();
  }

  #add(
    { key }: SessionSummary,
    workspace: string,
    { cwd, mcpServers: servers = [] }: Pick<ResumeSessionRequest, "cwd" | "mcpServers">,
  ): AcpSession {
    const { random, onError } = this.#options;
    const parts = { link: this.link, client: this.#client, offers: this.#offers, onFlood: this.#onFlood };
    const session = new AcpSession({ key, workspace, cwd, servers, random, onError, ...parts });
    this.#sessions.set(key, session);
    return session;
  }

  async #stateOf(session: AcpSession, { isNew }: { readonly isNew: boolean }): Promise<LoadSessionResponse> {
    const settings = await session.settings();
    // The client must know the session before it gets its updates.
    setImmediate(() => {
      session.announce();
      if (!isNew) void session.tellState();
    });
    return { modes: modesOf(settings), configOptions: configOptionsOf(settings) };
  }

  async #find(id: string): Promise<SessionSummary> {
    try {
      const { session } = await this.link.request("sessions.resolve", { key: id });
      if (session.key === id) return session;
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error) || error.code !== "not-found") throw error;
    }
    throw RequestError.sessionNotFound(id);
  }

  /** A conversation of an editor moves to the folder that it is opened in; any other one stays where it works. */
  async #workspaceFor(session: SessionSummary, cwd: string): Promise<string> {
    const workspace = session.workspace ?? (await workspaceOf(session.agentId, this.link));
    if (cwd === workspace) return workspace;
    if (isEditors(session.key)) {
      const { session: moved } = await this.link.request("sessions.patch", { key: session.key, workspace: cwd });
      return moved.workspace ?? cwd;
    }
    throw RequestError.invalidParams(
      { reason: "invalid-request", cwd: workspace },
      `This conversation works in ${workspace}. Open it there.`,
    );
  }

  /** Holds a place for a session until it is open. Throws a `RequestError` for what is not offered, and if there are too many. */
  #admit({ additionalDirectories = [] }: Pick<ResumeSessionRequest, "additionalDirectories">): Disposable {
    if (additionalDirectories.length > 0)
      throw RequestError.invalidParams({ reason: "unsupported" }, "This agent works in one folder. Leave additionalDirectories out.");
    if (this.#sessions.size + this.#opening >= MAX_SESSIONS)
      throw new RequestError(-32_600, `${MAX_SESSIONS} sessions are open. Close one first.`, { reason: "conflict" });
    this.#opening += 1;
    return { [Symbol.dispose]: () => void (this.#opening -= 1) };
  }
}

/** True for a conversation that an editor began. */
function isEditors(key: string): boolean {
  return /^agent:[^:]+:acp:/.test(key);
}
