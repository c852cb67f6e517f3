import { isAbsolute, join, relative, sep } from "node:path";
import type { AgentContext, ClientCapabilities, McpServer } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import { MAX_EDITOR_SERVERS, MAX_EDITOR_TEXT_CHARS } from "@factotum/protocol";
import type { EditorAnswer, EditorOffer, EditorRequest, EditorServer } from "@factotum/protocol";
import type { GatewayConnection, GatewayEvent } from "../gateway-connection.ts";

/** What a session needs to pass on what the gateway asks of its client. */
export interface EditorServicesOptions {
  readonly sessionId: string;
  readonly client: AgentContext;
  readonly offers: Pick<ClientCapabilities, "fs" | "terminal">;
  readonly servers: readonly McpServer[];
  /** The session's folder as the client names it, and with its links resolved. */
  readonly cwd: string;
  readonly workspace: string;
  /** A command runs in a terminal of the client. */
  readonly onTerminal: (terminalId: string) => void;
  /** A remark for the person. */
  readonly onNote: (text: string) => void;
  readonly onError: (error: Error) => void;
}

/** Offers the client's files, terminals and MCP servers to the gateway, for one session, and passes on what it asks for. */
export class EditorServices {
  readonly #options: EditorServicesOptions;
  readonly #offer: EditorOffer;
  readonly #terminals = new Set<string>();
  #attached: GatewayConnection | undefined;
  /** Remarks that were made. */
  readonly #noted = new Set<string>();

  constructor(options: EditorServicesOptions) {
    this.#options = options;
    const { fs, terminal } = options.offers;
    this.#offer = {
      readsFiles: fs?.readTextFile === true,
      writesFiles: fs?.writeTextFile === true,
      hasTerminals: terminal === true,
      servers: options.servers.slice(0, MAX_EDITOR_SERVERS).map(parseServer),
    };
    for (const { name } of options.servers.slice(MAX_EDITOR_SERVERS))
      this.#note(`The MCP server ${name} is left out: ${MAX_EDITOR_SERVERS} are used in a conversation.`);
  }

  /** Makes the offer on a connection, unless it was made there. A gateway that refuses it is used without. */
  async attach(connection: GatewayConnection): Promise<void> {
    const { readsFiles, writesFiles, hasTerminals, servers } = this.#offer;
    if (this.#attached === connection || (!readsFiles && !writesFiles && !hasTerminals && servers.length === 0)) return;
    try {
      const { attached, problems } = await connection.request("editor.attach", { sessionKey: this.#options.sessionId, ...this.#offer });
      if (attached) this.#attach(connection);
      else this.#note(OTHER);
      for (const problem of problems) this.#note(problem);
    } catch (error) {
      this.#note(
        `The editor's files, terminals and MCP servers are not used: ${error instanceof Error ? error.message : "unknown reason"}`,
      );
    }
  }

  #attach(connection: GatewayConnection): void {
    this.#attached = connection;
    // The gateway has ended, and releases nothing any longer.
    connection.closed.addEventListener("abort", () => void this.#releaseAll(), { once: true });
  }

  /** Withdraws the offer, and frees the client's terminals. */
  async detach(): Promise<void> {
    const connection = this.#attached;
    this.#attached = undefined;
    await this.#releaseAll();
    if (connection === undefined || connection.closed.aborted) return;
    await connection.request("editor.detach", { sessionKey: this.#options.sessionId });
  }

  /** Carries out what the gateway asks of this session's client. */
  receive(event: GatewayEvent, connection: GatewayConnection): void {
    if (event.name === "editor-note" && event.payload.sessionKey === this.#options.sessionId) this.#note(event.payload.text);
    if (event.name !== "editor-request" || event.payload.sessionKey !== this.#options.sessionId) return;
    const { id, request } = event.payload;
    void this.#answer(id, request, connection);
  }

  async #answer(id: string, request: EditorRequest, connection: GatewayConnection): Promise<void> {
    try {
      const answer = await this.#perform(request);
      const { taken } = await connection.request("editor.answer", { id, answer });
      // The gateway has given up on it.
      if (!taken && answer.type === "terminal") await this.#release(answer.terminalId);
    } catch (error) {
      this.#options.onError(error instanceof Error ? error : new Error("An answer of the editor could not be passed on."));
    }
  }

  async #perform(request: EditorRequest): Promise<EditorAnswer> {
    try {
      return bounded(await this.#ask(request));
    } catch (error) {
      const message = error instanceof Error ? error.message : "unknown reason";
      return { type: "failed", message: message.slice(0, 500).toWellFormed() };
    }
  }

  async #ask(request: EditorRequest): Promise<EditorAnswer> {
    const { client, sessionId, onTerminal } = this.#options;
    switch (request.type) {
      case "read-file": {
        const asked = { sessionId, path: this.#clientPath(request.path) };
        const { content } = (await client.request(methods.client.fs.readTextFile, asked, patience(READ_MS))) as {
          readonly content: unknown;
        };
        if (typeof content !== "string") return { type: "failed", message: "the editor gives no text" };
        return content.length > MAX_EDITOR_TEXT_CHARS
          ? { type: "failed", message: "the text is too long" }
          : { type: "text", text: content };
      }
      case "write-file": {
        const asked = { sessionId, path: this.#clientPath(request.path), content: request.text };
        await client.request(methods.client.fs.writeTextFile, asked, patience(WRITE_MS));
        return { type: "done" };
      }
      case "create-terminal": {
        const { file: command, args, cwd, env, maxOutputBytes: outputByteLimit } = request;
        const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
        const made = { sessionId, command, args: [...args], cwd: this.#clientPath(cwd), env: variables, outputByteLimit };
        const { terminalId } = (await client.request(methods.client.terminal.create, made)) as { readonly terminalId: unknown };
        if (typeof terminalId !== "string" || terminalId === "") return { type: "failed", message: "the editor names no terminal" };
        this.#terminals.add(terminalId);
        onTerminal(terminalId);
        return { type: "terminal", terminalId };
      }
      case "await-terminal": {
        const exit = await client.request(methods.client.terminal.waitForExit, { sessionId, terminalId: request.terminalId });
        return { type: "exit", ...exitOf(exit) };
      }
      case "read-terminal": {
        const shown = await client.request(methods.client.terminal.output, { sessionId, terminalId: request.terminalId });
        return { type: "output", text: shown.output.slice(-MAX_EDITOR_TEXT_CHARS).toWellFormed(), isCut: shown.truncated === true };
      }
      case "kill-terminal":
        await client.request(methods.client.terminal.kill, { sessionId, terminalId: request.terminalId });
        return { type: "done" };
      case "release-terminal":
        await this.#release(request.terminalId);
        return { type: "done" };
    }
  }

  async #releaseAll(): Promise<void> {
    await Promise.all([...this.#terminals].map(async (terminalId) => this.#release(terminalId)));
  }

  async #release(terminalId: string): Promise<void> {
    if (!this.#terminals.delete(terminalId)) return;
    const { client, sessionId, onError } = this.#options;
    try {
      await client.request(methods.client.terminal.release, { sessionId, terminalId });
    } catch (error) {
      onError(error instanceof Error ? error : new Error("A terminal of the editor could not be released."));
    }
  }

  /** The client may know its folder by a link. */
  #clientPath(path: string): string {
    const { cwd, workspace } = this.#options;
    const way = relative(workspace, path);
    return isAbsolute(way) || way === ".." || way.startsWith(`..${sep}`) ? path : join(cwd, way);
  }

  #note(text: string): void {
    if (this.#noted.has(text)) return;
    this.#noted.add(text);
    this.#options.onNote(text);
  }
}

/** How long the client may take: somewhat longer than the gateway waits, so that nothing waits for ever. */
const READ_MS = 10_000;
const WRITE_MS = 20_000;

function patience(timeoutMs: number): { readonly cancellationSignal: AbortSignal; readonly stopWaitingOnCancel: true } {
  return { cancellationSignal: AbortSignal.timeout(timeoutMs), stopWaitingOnCancel: true };
}

/** The gateway takes messages of 1 MiB. */
const MAX_ANSWER_BYTES = 900_000;
/** Of an output with many characters that take several bytes. */
const SHORT_CHARS = 100_000;

function bounded(answer: EditorAnswer): EditorAnswer {
  if (Buffer.byteLength(JSON.stringify(answer)) <= MAX_ANSWER_BYTES) return answer;
  return answer.type === "output"
    ? { ...answer, text: answer.text.slice(-SHORT_CHARS).toWellFormed(), isCut: true }
    : { type: "failed", message: "the answer is too large" };
}

const OTHER = "Another editor has this conversation open: its files, terminals and MCP servers are used, and not those of this one.";

function exitOf({ exitCode, signal }: { readonly exitCode?: number | null; readonly signal?: string | null }): {
  readonly exitCode?: number;
  readonly signal?: string;
} {
  return {
    ...(typeof exitCode === "number" ? { exitCode } : {}),
    ...(typeof signal === "string" ? { signal: signal.slice(0, 40) } : {}),
  };
}

function parseServer(server: McpServer): EditorServer {
  const values = (pairs: readonly { readonly name: string; readonly value: string }[]): Readonly<Record<string, string>> =>
    Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
  if (!("type" in server)) return { type: "stdio", name: server.name, command: server.command, args: server.args, env: values(server.env) };
  return { type: server.type, name: server.name, url: server.url, headers: values(server.headers) };
}
