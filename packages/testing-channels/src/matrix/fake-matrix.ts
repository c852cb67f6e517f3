import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeServer } from "../fake-server.ts";
import { ACCOUNT_ROUTES } from "./account-routes.ts";
import { fakeMatrixApp } from "./app.ts";
import type { FakeMatrixApp, FakeMatrixOptions, MatrixFile, MatrixUser } from "./app.ts";
import { relationIn, textOf } from "./event.ts";
import type { StoredEvent } from "./event.ts";
import type { SyncFilter } from "./filter.ts";
import { READ_ROUTES } from "./read-routes.ts";
import { forbidden, MatrixRefusal } from "./refusal.ts";
import type { MatrixFault } from "./refusal.ts";
import { parseBody } from "./request.ts";
import type { MatrixCall, MatrixRequest, MatrixRoute } from "./request.ts";
import { MatrixStore } from "./store.ts";
import { MatrixSyncs } from "./syncs.ts";
import type { MatrixDelivery } from "./syncs.ts";
import { positionOf } from "./sync.ts";
import { WRITE_ROUTES } from "./write-routes.ts";

const ROUTES: readonly MatrixRoute[] = [...READ_ROUTES, ...WRITE_ROUTES, ...ACCOUNT_ROUTES];
const VERSIONS = ["v1.1", "v1.2", "v1.3", "v1.4", "v1.5", "v1.6", "v1.7", "v1.8", "v1.9", "v1.10", "v1.11", "v1.12"];
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const DOWNLOAD = /^\/(client\/v1\/media|media\/v3)\/download\/[^/]+\/([^/]+)$/;

/**
 * A homeserver on a loopback port: rooms, long polling, transactions, media, for any number of users. It is strict: what the platform refuses is refused with the
 * platform's codes.
 */
export class FakeMatrix extends FakeServer<MatrixRequest, MatrixFault> {
  readonly app: FakeMatrixApp;
  readonly store: MatrixStore;
  readonly syncs: MatrixSyncs;
  readonly typing: MatrixCall["typing"] = [];
  readonly receipts: MatrixCall["receipts"] = [];
  readonly #transactions = new Map<string, string>();
  readonly #directSince = new Map<string, number>();

  private constructor(options: FakeMatrixOptions) {
    super({ maxBodyBytes: MAX_BODY_BYTES });
    this.app = fakeMatrixApp(options);
    this.store = new MatrixStore(this.app);
    this.syncs = new MatrixSyncs(this.app, this.store, this.#directSince);
  }

  /** Starts a homeserver on a free port of 127.0.0.1. */
  static async start(options: FakeMatrixOptions = {}): Promise<FakeMatrix> {
    const fake = new FakeMatrix(options);
    await fake.listen();
    return fake;
  }

  /** Messages of the bot, oldest first; those that edit another one are left out. */
  get sent(): readonly StoredEvent[] {
    const shown = ["m.room.message", "org.matrix.msc3381.poll.start"];
    return [...this.store.rooms.values()]
      .flatMap((room) => [...room.events.values()])
      .filter(({ sender, type, content }) => sender === this.app.bot.id && shown.includes(type) && relationIn(content).type !== "m.replace")
      .toSorted((left, right) => Number(/\d+/.exec(left.event_id)?.[0]) - Number(/\d+/.exec(right.event_id)?.[0]));
  }

  /** The content of a message after its edits. */
  contentOf(event: StoredEvent): StoredEvent["content"] {
    const edit = this.store.room(event.room_id).editOf(event);
    return (edit?.content["m.new_content"] as StoredEvent["content"] | undefined) ?? event.content;
  }

  /** A user's file, to be named in a message by its address. */
  addFile(file: MatrixFile): string {
    const id = `file${this.app.files.size + 1}`;
    this.app.files.set(id, file);
    return `mxc://${this.app.serverName}/${id}`;
  }

  /** Sets a list of direct chats. */
  setDirect(userId: string, list: Record<string, string[]>): void {
    this.app.direct.set(userId, list);
    this.#directSince.set(userId, this.store.touch());
  }

  /** Gives something of a room to the bot, for the first time or again; resolves with the bot's reaction. */
  async deliver(roomId: string, raw: unknown): Promise<MatrixDelivery> {
    return this.syncs.deliver(() => this.store.redeliver(roomId, raw));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.syncs.close();
    await super[Symbol.asyncDispose]();
  }

  protected override async handle(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.baseUrl);
    const path = url.pathname.replace(/^\/_matrix/, "");
    const query = Object.fromEntries(url.searchParams);
    const method = request.method ?? "GET";
    const route = ROUTES.find((one) => one.method === method && one.path.test(path));
    const isJson = (request.headers["content-type"] ?? "").includes("json");
    const entry: MatrixRequest = {
      method,
      path: decodeURIComponent(path),
      query,
      body: isJson ? safeJson(body) : undefined,
      isChange: route?.isChange === true,
    };
    this.record(entry);
    try {
      await this.#answer({ request, path, query, method, body, route }, response);
    } catch (error) {
      if (!(error instanceof MatrixRefusal)) throw error;
      refuse(response, error);
    }
  }

  async #answer(
    {
      request,
      path,
      query,
      method,
      body,
      route,
    }: {
      readonly request: IncomingMessage;
      readonly path: string;
      readonly query: Readonly<Record<string, string>>;
      readonly method: string;
      readonly body: Buffer;
      readonly route: MatrixRoute | undefined;
    },
    response: ServerResponse,
  ): Promise<void> {
    const fault = route?.isChange === true ? this.faults.changes.shift() : this.faults.reads.shift();
    if (fault?.type === "drop") return void response.destroy();
    if (fault?.type === "http") return void response.writeHead(fault.status, { "content-type": "text/html" }).end("<html></html>");
    if (fault?.type === "garbage") return this.answerGarbage(response);
    if (fault?.type === "refuse") throw new MatrixRefusal(fault.status, fault.code, "refused");
    if (fault?.type === "rate-limit")
      throw new MatrixRefusal(429, "M_LIMIT_EXCEEDED", "Too Many Requests", { retry_after_ms: fault.delayMs });
    if (path === "/client/versions") return answer(response, 200, { versions: VERSIONS, unstable_features: {} });
    const legacy = path.startsWith("/media/v3/download/") && !this.app.hasAuthenticatedMedia;
    const user = legacy ? this.app.bot : this.#userOf(request);
    if (method === "GET" && DOWNLOAD.test(path)) return this.#download(path, response);
    if (method === "GET" && path === "/client/v3/sync") return this.#sync(user, query, response);
    if (path === "/client/v3/account/whoami" && user === this.app.bot) this.syncs.recordRestart();
    if (route === undefined) throw new MatrixRefusal(404, "M_UNRECOGNIZED", "Unrecognized request");
    if (route.isRead === true && this.app.refusesReads) throw forbidden("You don't have permission to read this room");
    const parts = (route.path.exec(path) ?? []).slice(1).map((part) => decodeURIComponent(part ?? ""));
    if (route.isRead === true && this.app.brokenRooms.has(parts[0] ?? "")) return void response.writeHead(500).end("broken");
    const result = route.run({
      app: this.app,
      store: this.store,
      user,
      parts,
      query,
      bytes: body,
      contentType: request.headers["content-type"] ?? "application/octet-stream",
      json: () => parseBody(body),
      transactions: this.#transactions,
      directSince: this.#directSince,
      typing: this.typing,
      receipts: this.receipts,
    });
    if (fault?.type === "accept-then-drop") return void response.destroy();
    if (fault?.type === "accept-then-garbage") return this.answerGarbage(response);
    if (fault?.type === "hold") await this.faults.hold();
    answer(response, 200, result);
  }

  #userOf(request: IncomingMessage): MatrixUser {
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (token === undefined) throw new MatrixRefusal(401, "M_MISSING_TOKEN", "Missing access token");
    const user = [...this.app.users.values()].find((one) => one.token === token);
    if (user === undefined)
      throw new MatrixRefusal(401, "M_UNKNOWN_TOKEN", "Unrecognised access token.", { soft_logout: this.app.hasExpiredSessions });
    return user;
  }

  #sync(user: MatrixUser, query: Readonly<Record<string, string>>, response: ServerResponse): void {
    const since = query["since"] === undefined ? undefined : positionOf(query["since"]);
    if (since !== undefined && since < this.app.oldestPosition) throw new MatrixRefusal(400, "M_UNKNOWN_POS", "Unknown position");
    const filter = query["filter"]?.startsWith("{") === true ? (JSON.parse(query["filter"]) as SyncFilter) : {};
    const pending = {
      userId: user.id,
      since,
      filter,
      answer: (body: object) => answer(response, 200, body),
      drop: () => void response.destroy(),
    };
    response.once("close", () => this.syncs.forget(pending));
    this.syncs.begin(pending, Number(query["timeout"] ?? 0));
  }

  #download(path: string, response: ServerResponse): void {
    const [, kind, id = ""] = DOWNLOAD.exec(path) ?? [];
    if ((kind === "client/v1/media") !== this.app.hasAuthenticatedMedia)
      throw new MatrixRefusal(404, kind === "media/v3" ? "M_NOT_FOUND" : "M_UNRECOGNIZED", "Unrecognized request");
    const file = this.app.files.get(id);
    if (file === undefined) throw new MatrixRefusal(404, "M_NOT_FOUND", "Not found");
    response.writeHead(200, { "content-type": file.mimeType }).end(file.bytes);
  }
}

function refuse(response: ServerResponse, { status, code, message, more }: MatrixRefusal): void {
  const delayMs = more["retry_after_ms"];
  const headers = typeof delayMs === "number" ? { "retry-after": String(Math.ceil(delayMs / 1_000)) } : {};
  answer(response, status, { errcode: code, error: message, ...more }, headers);
}

function answer(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

function safeJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** What people see of a message: the characters of its HTML, or its plain text. */
export function matrixVisibleText(content: StoredEvent["content"]): string {
  const html = textOf(content, "formatted_body");
  if (html === "") return textOf(content, "body");
  return html
    .replaceAll(/<br>\n?/g, "\n")
    .replaceAll(/<\/t[dh]>/g, "\t")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
