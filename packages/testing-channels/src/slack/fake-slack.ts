import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fakeSlackApp } from "./app.ts";
import type { FakeSlackApp, FakeSlackOptions } from "./app.ts";
import { SlackRefusal } from "./faults.ts";
import type { SlackFault } from "./faults.ts";
import { SlackMessageStore } from "./message-store.ts";
import type { SlackFile, SlackMessage } from "./message-store.ts";
import { SLACK_METHODS } from "./methods.ts";
import type { SlackMethodContext } from "./methods.ts";
import { SlackSocketMode } from "./socket-mode.ts";

/** One received request of the Web API, or an upload, a download or a response to an interaction. */
export interface SlackRequest {
  readonly httpMethod: string;
  readonly path: string;
  /** The fields of the form, or of the JSON body as text. */
  readonly fields: Readonly<Record<string, string>>;
  readonly atMs: number;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const KEEP_ALIVE_MS = 600_000;

/**
 * A Slack server on a loopback port: the Web API, uploads and downloads, response addresses, and Socket Mode. It is strict: what the platform refuses is
 * refused with the platform's code. Requests of the platform to an app are made by `slackEventRequest` and `slackFormRequest`.
 */
export class FakeSlack implements AsyncDisposable {
  readonly app: FakeSlackApp;
  readonly socketMode: SlackSocketMode;
  readonly requests: SlackRequest[] = [];
  /** While true, `files.info` does not name the messages that show a file. */
  hidesShares = false;
  /** Messages posted to response addresses. */
  readonly responses: Readonly<Record<string, string>>[] = [];
  readonly #store: SlackMessageStore;
  readonly #context: SlackMethodContext;
  readonly #server: Server;
  readonly #faults: SlackFault[] = [];
  readonly #readFaults: SlackFault[] = [];
  readonly #held: (() => void)[] = [];
  readonly #watchers: (() => void)[] = [];
  readonly #waiting: { readonly matches: (request: SlackRequest) => boolean; readonly resolve: (request: SlackRequest) => void }[] = [];

  private constructor(options: FakeSlackOptions) {
    this.app = fakeSlackApp(options);
    this.#store = new SlackMessageStore(this.app);
    this.socketMode = new SlackSocketMode(this.app, options.ackTimeoutMs === undefined ? {} : { ackTimeoutMs: options.ackTimeoutMs });
    this.#context = {
      app: this.app,
      store: this.#store,
      baseUrl: () => this.baseUrl,
      openSocket: () => this.socketMode.openUrl(),
      hidesShares: () => this.hidesShares,
      uploads: new Map(),
    };
    this.#server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      this.#handle(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : new Error("failed", { cause: error })),
      );
    });
    this.#server.on("upgrade", (request, socket, head) => this.socketMode.upgrade(request, socket, head));
  }

  /** Starts a server on a free port of 127.0.0.1. */
  static async start(options: FakeSlackOptions = {}): Promise<FakeSlack> {
    const fake = new FakeSlack(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fake.#server.once("error", reject);
    fake.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    fake.socketMode.address = `127.0.0.1:${fake.port}`;
    return fake;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The address to configure in place of the platform's. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Messages that the app has posted, oldest first, in their current form. */
  get sent(): readonly SlackMessage[] {
    return this.#store.messages.filter(({ isOwn }) => isOwn);
  }

  /** The address of a response to a command or an interaction. */
  get responseUrl(): string {
    return `${this.baseUrl}/commands/T0TEAM/1/secret`;
  }

  /** Puts a message of a person into a conversation; `slackMessageEvent` makes its event. */
  addMessage(message: Pick<SlackMessage, "channel" | "user"> & Partial<SlackMessage>): SlackMessage {
    return this.#store.add({ isOwn: false, ...message });
  }

  /** Puts a file into the workspace, to be named in a message. */
  addFile(file: Pick<SlackFile, "name" | "mimeType" | "bytes">): SlackFile {
    const added: SlackFile = { id: this.#store.nextFileId(), shares: [], ...file };
    this.#store.files.set(added.id, added);
    return added;
  }

  /** Makes the next request that shows, changes or removes something fail; several queue up. */
  failNext(fault: SlackFault): void {
    this.#faults.push(fault);
  }

  /** Makes the next other request fail; several queue up. */
  failNextRead(fault: SlackFault): void {
    this.#readFaults.push(fault);
  }

  /** Answers every request that a `hold` fault holds back. */
  release(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }

  /** Resolves with the next matching request, or with an earlier one. */
  async request(matches: (request: SlackRequest) => boolean): Promise<SlackRequest> {
    const earlier = this.requests.find(matches);
    if (earlier !== undefined) return earlier;
    const { promise, resolve } = Promise.withResolvers<SlackRequest>();
    this.#waiting.push({ matches, resolve });
    return promise;
  }

  /** Calls `listener` after each handled request. */
  watch(listener: () => void): void {
    this.#watchers.push(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.socketMode.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path } = new URL(request.url ?? "/", this.baseUrl);
    const body = await readBody(request);
    const isUpload = path.startsWith("/upload/");
    const fields = isUpload ? {} : parseFields(body, request.headers["content-type"] ?? "");
    const entry: SlackRequest = { httpMethod: request.method ?? "GET", path, fields, atMs: this.app.now() };
    this.requests.push(entry);
    for (const waiting of this.#waiting.filter(({ matches }) => matches(entry))) waiting.resolve(entry);
    const authorization = request.headers.authorization ?? "";
    try {
      if (path.startsWith("/api/")) await this.#api(path.slice("/api/".length), { fields, authorization }, response);
      else if (isUpload) this.#upload(path, body, response);
      else if (path.startsWith("/files-pri/")) this.#download(path, authorization, response);
      else if (path.startsWith("/commands/")) {
        this.responses.push(fields);
        response.end("ok");
      } else response.writeHead(404).end();
    } finally {
      for (const listener of this.#watchers) listener();
    }
  }

  async #api(
    name: string,
    { fields, authorization }: { readonly fields: Readonly<Record<string, string>>; readonly authorization: string },
    response: ServerResponse,
  ): Promise<void> {
    const method = SLACK_METHODS[name];
    const fault = method?.isChange === true ? this.#faults.shift() : this.#readFaults.shift();
    if (fault?.type === "drop") return void response.destroy();
    if (fault?.type === "http") return void response.writeHead(fault.status, { "content-type": "text/html" }).end("<html></html>");
    if (fault?.type === "rate-limit")
      return this.#answer(
        response,
        { ok: false, error: "ratelimited" },
        { status: 429, headers: { "retry-after": String(fault.seconds) } },
      );
    try {
      if (fault?.type === "refuse") throw new SlackRefusal(fault.error, fault.more);
      if (method === undefined) throw new SlackRefusal("unknown_method");
      this.#authorize(name, authorization, method.scopes);
      const result = method.call(fields, this.#context);
      if (fault?.type === "accept-then-drop") return void response.destroy();
      if (fault?.type === "hold") await new Promise<void>((resolve) => this.#held.push(resolve));
      this.#answer(response, { ok: true, ...result });
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
      this.#answer(response, { ok: false, error: error.message, ...error.more });
    }
  }

  #authorize(name: string, authorization: string, scopes: readonly string[] = []): void {
    const token = /^Bearer (.+)$/.exec(authorization)?.[1];
    if (token === undefined) throw new SlackRefusal("not_authed");
    if (token !== (name === "apps.connections.open" ? this.app.appToken : this.app.botToken)) throw new SlackRefusal("invalid_auth");
    if (scopes.length > 0 && !scopes.some((scope) => this.app.scopes.has(scope)))
      throw new SlackRefusal("missing_scope", { needed: scopes.join(","), provided: [...this.app.scopes].join(",") });
  }

  #upload(path: string, bytes: Buffer, response: ServerResponse): void {
    const upload = this.#context.uploads.get(path.split("/").at(-1) ?? "");
    if (upload === undefined || bytes.length !== upload.length) return void response.writeHead(400).end("size mismatch");
    upload.bytes = bytes;
    response.end(`OK - ${bytes.length}`);
  }

  /** Without the token the platform answers with the page of its login. */
  #download(path: string, authorization: string, response: ServerResponse): void {
    const file = this.#store.files.get(/-(F\w+)\//.exec(path)?.[1] ?? "");
    if (file === undefined) return void response.writeHead(404).end();
    if (authorization !== `Bearer ${this.app.botToken}` || !this.app.scopes.has("files:read"))
      return void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!DOCTYPE html><title>Sign in</title>");
    response.writeHead(200, { "content-type": file.mimeType }).end(file.bytes);
  }

  #answer(
    response: ServerResponse,
    body: object,
    { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ): void {
    const scopes = { "x-oauth-scopes": [...this.app.scopes].join(",") };
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...scopes, ...headers }).end(JSON.stringify(body));
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new Error("body too large");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function parseFields(body: Buffer, contentType: string): Record<string, string> {
  const text = body.toString("utf8");
  if (!contentType.startsWith("application/json")) return Object.fromEntries(new URLSearchParams(text));
  const value = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, typeof one === "string" ? one : JSON.stringify(one)]));
}
