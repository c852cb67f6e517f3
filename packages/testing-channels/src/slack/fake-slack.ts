import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeServer } from "../fake-server.ts";
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

/**
 * A Slack server on a loopback port: the Web API, uploads and downloads, response addresses, and Socket Mode. It is strict: what the platform refuses is
 * refused with the platform's code. Requests of the platform to an app are made by `slackEventRequest` and `slackFormRequest`.
 */
export class FakeSlack extends FakeServer<SlackRequest, SlackFault> {
  readonly app: FakeSlackApp;
  readonly socketMode: SlackSocketMode;
  /** While true, `files.info` does not name the messages that show a file. */
  hidesShares = false;
  /** Messages posted to response addresses. */
  readonly responses: Readonly<Record<string, string>>[] = [];
  readonly #store: SlackMessageStore;
  readonly #context: SlackMethodContext;

  private constructor(options: FakeSlackOptions) {
    super({ maxBodyBytes: MAX_BODY_BYTES });
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
  }

  /** Starts a server on a free port of 127.0.0.1. */
  static async start(options: FakeSlackOptions = {}): Promise<FakeSlack> {
    const fake = new FakeSlack(options);
    await fake.listen(fake.socketMode);
    return fake;
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

  protected override async handle(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { pathname: path } = new URL(request.url ?? "/", this.baseUrl);
    const isUpload = path.startsWith("/upload/");
    const fields = isUpload ? {} : parseFields(body, request.headers["content-type"] ?? "");
    const entry: SlackRequest = { httpMethod: request.method ?? "GET", path, fields, atMs: this.app.now() };
    this.record(entry);
    const authorization = request.headers.authorization ?? "";
    if (path.startsWith("/api/")) await this.#api(path.slice("/api/".length), { fields, authorization }, response);
    else if (isUpload) this.#upload(path, body, response);
    else if (path.startsWith("/files-pri/")) this.#download(path, authorization, response);
    else if (path.startsWith("/commands/")) {
      this.responses.push(fields);
      response.end("ok");
    } else response.writeHead(404).end();
  }

  async #api(
    name: string,
    { fields, authorization }: { readonly fields: Readonly<Record<string, string>>; readonly authorization: string },
    response: ServerResponse,
  ): Promise<void> {
    const method = SLACK_METHODS[name];
    const fault = method?.isChange === true ? this.faults.changes.shift() : this.faults.reads.shift();
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
      if (fault?.type === "accept-then-garbage") return this.answerGarbage(response);
      if (fault?.type === "hold") await this.faults.hold();
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

function parseFields(body: Buffer, contentType: string): Record<string, string> {
  const text = body.toString("utf8");
  if (!contentType.startsWith("application/json")) return Object.fromEntries(new URLSearchParams(text));
  const value = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, typeof one === "string" ? one : JSON.stringify(one)]));
}
