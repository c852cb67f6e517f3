import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock, CommandRunner, JsonObject, JsonValue, RunFacts, ServerCommand } from "@factotum/agent-contract";
import type { Diagnostic, InitializeResult, ServerCapabilities } from "vscode-languageserver-protocol";
import { CLIENT_CAPABILITIES } from "./client-capabilities.ts";
import { DocumentDiagnostics } from "./document-diagnostics.ts";
import { isObject } from "./is-object.ts";
import { openConnection, type Connection } from "./open-connection.ts";
import { operationsOf, type Operation } from "./operations.ts";
import { answerServer, type RequestContext } from "./server-requests.ts";
import type { PositionEncoding } from "./text-lines.ts";

const INITIALIZE_MS = 60_000;
const REQUEST_MS = 30_000;
const SHUTDOWN_MS = 1_000;
const MAX_OPEN = 20;
/** The server wants to be asked again. */
const RETRY_MS = 100;

type Registrations = Readonly<Pick<RequestContext["registrations"], "values">>;

/** A text that a server has. */
interface OpenDocument {
  readonly uri: string;
  readonly languageId: string;
  version: number;
  text: string;
  readonly diagnostics: DocumentDiagnostics;
}

/** How a server is started. */
export interface StartOptions {
  readonly process: ServerCommand;
  readonly run: RunFacts;
  /** The folder of the project. */
  readonly root: string;
  readonly initializationOptions: JsonValue | undefined;
  readonly settings: JsonObject;
  readonly version: string;
  readonly runner: CommandRunner;
  readonly clock: Clock;
  /** What it can do has changed. */
  readonly onOperations: () => void;
  readonly signal: AbortSignal;
}

/** A language server that was initialized. */
export class RunningServer {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #capabilities: ServerCapabilities;
  readonly #registrations: Registrations;
  readonly #documents = new Map<string, OpenDocument>();
  readonly #waiting = new Set<() => void>();
  /** Counted over all documents, so that a document that is opened again has another one. */
  #version = 0;
  #calls = 0;
  #isOver = false;
  #isStopped = false;
  readonly ended: Promise<string>;

  private constructor(
    connection: Connection,
    capabilities: ServerCapabilities,
    { clock, registrations }: Pick<StartOptions, "clock"> & { readonly registrations: Registrations },
  ) {
    [this.#connection, this.#capabilities, this.#clock, this.#registrations] = [connection, capabilities, clock, registrations];
    this.ended = connection.ended.then((why) => {
      this.#isOver = true;
      this.#wake();
      return why;
    });
  }

  /** Rejects with an error whose message says why the server cannot be used; then nothing of it runs. */
  static async start(options: StartOptions): Promise<RunningServer> {
    const { root, settings, clock, runner, run, signal } = options;
    const registrations: RequestContext["registrations"] = new Map();
    const folders = [{ uri: pathToFileURL(root).href, name: basename(root) }];
    let server: RunningServer | undefined;
    const context = { settings, folders, registrations, onRegistered: () => server?.registered(options.onOperations) };
    const connection = await openConnection(options.process, {
      runner,
      run,
      clock,
      onRequest: (method, params) => answerServer(method, params, context),
      onNotification: (method, params) => {
        if (method === "textDocument/publishDiagnostics" && server !== undefined) server.#pushed(params);
      },
    });
    try {
      const params = {
        // It may see other process ids than ours.
        processId: null,
        clientInfo: { name: "factotum", version: options.version },
        rootUri: folders[0]?.uri ?? null,
        rootPath: root,
        workspaceFolders: folders,
        capabilities: CLIENT_CAPABILITIES,
        ...(options.initializationOptions === undefined ? {} : { initializationOptions: options.initializationOptions }),
      };
      const ended = connection.ended.then((why) => {
        throw new Error(why);
      });
      ended.catch(() => undefined);
      const asked = connection.request("initialize", params, { timeoutMs: INITIALIZE_MS, signal });
      asked.catch(() => undefined);
      const result = (await Promise.race([ended, asked])) as InitializeResult | null;
      if (!isObject(result?.capabilities)) throw new Error("it did not say what it can do");
      connection.notify("initialized", {});
      if (Object.keys(settings).length > 0) connection.notify("workspace/didChangeConfiguration", { settings });
      server = new RunningServer(connection, result.capabilities, { clock, registrations });
      return server;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** It was ended on purpose. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get isBusy(): boolean {
    return this.#calls > 0;
  }

  get encoding(): PositionEncoding {
    return this.#capabilities.positionEncoding === "utf-8" ? "utf-8" : "utf-16";
  }

  get operations(): readonly Operation[] {
    return operationsOf(this.#capabilities, new Set([...this.#registrations.values()].map(({ method }) => method)));
  }

  /** The paths of the texts that the server has. */
  get openPaths(): readonly string[] {
    return [...this.#documents.keys()];
  }

  registered(onOperations: () => void): void {
    this.#wake();
    onOperations();
  }

  /** Gives the server the current text of a file. */
  sync(path: string, text: string, languageId: string): void {
    const known = this.#documents.get(path);
    if (known?.text === text) return;
    this.#version += 1;
    const version = this.#version;
    if (known !== undefined) {
      [known.version, known.text] = [version, text];
      known.diagnostics.changed(version);
      this.#connection.notify("textDocument/didChange", { textDocument: { uri: known.uri, version }, contentChanges: [{ text }] });
      this.#wake();
      return;
    }
    const [oldest] = this.#documents.keys();
    if (this.#documents.size >= MAX_OPEN && oldest !== undefined) this.forget(oldest);
    const uri = pathToFileURL(path).href;
    this.#documents.set(path, { uri, languageId, version, text, diagnostics: new DocumentDiagnostics(this.#clock, version) });
    this.#connection.notify("textDocument/didOpen", { textDocument: { uri, languageId, version, text } });
  }

  /** Gives the server another text of a file that it has already. */
  refresh(path: string, text: string): void {
    const known = this.#documents.get(path);
    if (known !== undefined) this.sync(path, text, known.languageId);
  }

  /** The address of a file, as the server knows it. */
  uriOf(path: string): string {
    return this.#documents.get(path)?.uri ?? pathToFileURL(path).href;
  }

  /** The server reads the file from the disk from now on. */
  forget(path: string): void {
    const known = this.#documents.get(path);
    if (known === undefined) return;
    this.#documents.delete(path);
    this.#connection.notify("textDocument/didClose", { textDocument: { uri: known.uri } });
    this.#wake();
  }

  /** A file has changed on the disk. */
  fileChanged(path: string, type: "created" | "changed" | "deleted"): void {
    const uri = pathToFileURL(path).href;
    const kind = { created: 1, changed: 2, deleted: 3 }[type];
    this.#connection.notify("workspace/didChangeWatchedFiles", { changes: [{ uri, type: kind }] });
    const sync = this.#capabilities.textDocumentSync;
    const known = this.#documents.get(path);
    if (known === undefined || typeof sync !== "object" || sync.save === undefined || sync.save === false) return;
    const withText = typeof sync.save === "object" && sync.save.includeText === true ? { text: known.text } : {};
    this.#connection.notify("textDocument/didSave", { textDocument: { uri }, ...withText });
  }

  /** Rejects with the server's error, and when it does not answer. */
  async request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    this.#calls += 1;
    try {
      return await this.#connection.request(method, params, { timeoutMs: REQUEST_MS, signal });
    } finally {
      this.#calls -= 1;
    }
  }

  /** The diagnostics of the text that the server has; `undefined` if they do not come in time, or that text is replaced first. Never rejects. */
  async diagnose(
    path: string,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<readonly Diagnostic[] | undefined> {
    const document = this.#documents.get(path);
    if (document === undefined) return undefined;
    const { version } = document;
    const isCurrent = (): boolean => !this.#isOver && this.#documents.get(path) === document && document.version === version;
    const deadlineMs = this.#clock.monotonic() + timeoutMs;
    this.#calls += 1;
    try {
      for (;;) {
        const leftMs = deadlineMs - this.#clock.monotonic();
        if (leftMs <= 0 || signal.aborted || !isCurrent()) return undefined;
        if (this.#pulls) {
          const items = await this.#pull(document.uri, { timeoutMs: leftMs, signal });
          if (items !== undefined) return isCurrent() ? items : undefined;
          await this.#change(Math.min(RETRY_MS, leftMs), signal);
        } else {
          const { state } = document.diagnostics;
          if (state.type === "known") return state.items;
          await this.#change(Math.min(state.atMostMs ?? leftMs, leftMs), signal);
        }
      }
    } finally {
      this.#calls -= 1;
    }
  }

  /** Ends it. Resolves when nothing of it runs. Never rejects. */
  async stop(): Promise<void> {
    const wasOver = this.#isOver;
    [this.#isOver, this.#isStopped] = [true, true];
    if (!wasOver) {
      await this.#connection.request("shutdown", undefined, { timeoutMs: SHUTDOWN_MS }).catch(() => undefined);
      this.#connection.notify("exit", {});
    }
    await this.#connection.close();
  }

  get #pulls(): boolean {
    return (
      (this.#capabilities.diagnosticProvider ?? undefined) !== undefined ||
      [...this.#registrations.values()].some(({ method }) => method === "textDocument/diagnostic")
    );
  }

  /** `undefined` if the server does not know them yet. */
  async #pull(
    uri: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<readonly Diagnostic[] | undefined> {
    const registered = [...this.#registrations.values()].find(({ method }) => method === "textDocument/diagnostic")?.options;
    const provider: unknown = this.#capabilities.diagnosticProvider ?? registered;
    const identifier = isObject(provider) && typeof provider["identifier"] === "string" ? { identifier: provider["identifier"] } : {};
    try {
      const report = await this.#connection.request("textDocument/diagnostic", { textDocument: { uri }, ...identifier }, options);
      return isObject(report) && Array.isArray(report["items"]) ? (report["items"] as readonly Diagnostic[]) : undefined;
    } catch {
      // Cancelled by the server, or not answered in time.
      return undefined;
    }
  }

  #pushed(params: unknown): void {
    if (!isObject(params) || typeof params["uri"] !== "string" || !Array.isArray(params["diagnostics"])) return;
    const uri = params["uri"];
    const items = (params["diagnostics"] as readonly unknown[]).filter(isObject) as readonly unknown[] as readonly Diagnostic[];
    const version = params["version"];
    for (const document of this.#documents.values()) {
      // Servers write the same address in other ways: `%40` for `@`.
      if (document.uri !== uri && decode(document.uri) !== decode(uri)) continue;
      if (document.diagnostics.push(typeof version === "number" ? version : undefined, items)) this.#wake();
    }
  }

  #wake(): void {
    for (const one of this.#waiting) one();
    this.#waiting.clear();
  }

  async #change(atMostMs: number, signal: AbortSignal): Promise<void> {
    const changed = Promise.withResolvers<void>();
    this.#waiting.add(changed.resolve);
    using _timer = this.#clock.schedule(atMostMs, changed.resolve);
    signal.addEventListener("abort", () => changed.resolve(), { once: true });
    await changed.promise;
    this.#waiting.delete(changed.resolve);
  }
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
