import type { ServerResponse } from "node:http";
import type { FaultQueues } from "../fault-queues.ts";
import { chatIdOf } from "./app.ts";
import type { FakeFeishuApp } from "./app.ts";
import type { FeishuFault } from "./faults.ts";
import { asItem } from "./items.ts";
import { checkContent, checkUuid, invalid } from "./message-rules.ts";
import { CardEntities } from "./card-entities.ts";
import { cardRoutes } from "./cards.ts";
import { FeishuRefusal } from "./refusal.ts";
import { pinRoutes } from "./pins.ts";
import { readRoutes } from "./reads.ts";
import { MessageStore } from "./message-store.ts";
import type { ApiRequest, Reply, Resource, Route } from "./route.ts";
import { TenantTokens } from "./tokens.ts";

const MESSAGES = "/open-apis/im/v1/messages";
/** Requests that change what is shown, and take the faults for sends. */
const CHANGES = [MESSAGES, "/open-apis/ephemeral/", "/open-apis/cardkit/v1/cards/"];
const FILE_TYPES: ReadonlySet<string> = new Set(["opus", "mp4", "pdf", "doc", "xls", "ppt", "stream"]);
/** The message type that shows an upload of each type; all others are shown as `file`. */
const SHOWN_AS: Readonly<Record<string, string>> = { image: "image", opus: "audio", mp4: "media" };
/** Magic bytes of the images that the platform recognises. */
const IMAGE_STARTS = ["89504e47", "ffd8ff", "47494638", "52494646", "424d", "49492a00", "4d4d002a", "00000100"];

/** A file of the bot. */
export interface FakeUpload {
  readonly type: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** Length of a sound or film, if the bot named it. */
  readonly durationMs?: number;
}

/** The HTTP API of the platform. */
export class FeishuApi {
  readonly tokens: TenantTokens;
  readonly messages: MessageStore;
  readonly resources: Map<string, Resource> = new Map();
  /** Files of the bot, by the key that a message names. */
  readonly uploads: Map<string, FakeUpload> = new Map();
  readonly entities: CardEntities;
  readonly pins: Map<string, number> = new Map();
  readonly #app: FakeFeishuApp;
  readonly #faults: FaultQueues<FeishuFault>;
  readonly #routes: Route[] = [
    [
      "GET",
      /^\/open-apis\/bot\/v3\/info\/?$/,
      () => ({ data: { bot: { activate_status: 2, app_name: this.#app.bot.name, open_id: this.#app.bot.openId } } }),
    ],
    ["POST", /^\/open-apis\/im\/v1\/(images|files)$/, (request, [kind = ""]) => this.#upload(request, kind)],
    ["POST", new RegExp(`^${MESSAGES}$`), (request) => this.#create(request)],
    ["POST", new RegExp(`^${MESSAGES}/([^/]+)/reply$`), (request, [id = ""]) => this.#reply(request, id)],
    ["PUT", new RegExp(`^${MESSAGES}/([^/]+)$`), (request, [id = ""]) => this.#update(request, id)],
    ["DELETE", new RegExp(`^${MESSAGES}/([^/]+)$`), (_, [id = ""]) => this.#recall(id)],
    ["POST", new RegExp(`^${MESSAGES}/([^/]+)/reactions$`), (request, [id = ""]) => this.#react(request, id)],
    ["GET", new RegExp(`^${MESSAGES}/([^/]+)/reactions$`), (_, [id = ""]) => this.#listReactions(id)],
    ["DELETE", new RegExp(`^${MESSAGES}/([^/]+)/reactions/([^/]+)$`), (_, [id = "", reaction = ""]) => this.#unreact(id, reaction)],
    [
      "GET",
      new RegExp(`^${MESSAGES}/([^/]+)/resources/([^/]+)$`),
      (request, [id = "", key = ""]) => this.#resource(request, `${id}/${key}`),
    ],
  ];

  constructor(app: FakeFeishuApp, faults: FaultQueues<FeishuFault>) {
    this.#app = app;
    this.#faults = faults;
    this.tokens = new TenantTokens(app);
    this.messages = new MessageStore(app);
    this.entities = new CardEntities(this.messages);
    this.#routes.push(
      ...this.entities.routes(),
      ...readRoutes(app, this.messages),
      ...cardRoutes(app, this.messages),
      ...pinRoutes(app, this.messages, this.pins),
    );
  }

  async handle(request: ApiRequest, response: ServerResponse): Promise<void> {
    if (request.path === "/open-apis/auth/v3/tenant_access_token/internal") return this.#token(request, response);
    const isRead = request.method === "GET" && request.path.startsWith("/open-apis/im/");
    const isChange = request.method !== "GET" && CHANGES.some((path) => request.path.startsWith(path));
    const fault = isChange ? this.#faults.changes.shift() : isRead ? this.#faults.reads.shift() : undefined;
    if (fault?.type === "refuse") return json(response, fault.status, { code: fault.code, msg: fault.message }, fault.headers);
    if (fault?.type === "proxy-error")
      return void response.writeHead(fault.status, { "content-type": "text/html" }).end("<html>proxy</html>");
    if (fault?.type === "drop") return void response.destroy();
    try {
      const reply = this.#answer(request);
      if (fault?.type === "accept-then-drop") return void response.destroy();
      if (fault?.type === "garbage") return void response.writeHead(200, { "content-type": "application/json" }).end('{"code":0,"da');
      if (fault?.type === "hold") await this.#faults.hold();
      if ("bytes" in reply) return sendResource(response, reply);
      // Bot info is the one answer that is not wrapped in `data`.
      json(
        response,
        200,
        request.path.startsWith("/open-apis/bot/")
          ? { code: 0, msg: "ok", ...(reply.data as object) }
          : { code: 0, msg: "success", data: reply.data },
      );
    } catch (error) {
      if (!(error instanceof FeishuRefusal)) throw error;
      const violations = error.scopes.map((subject) => ({ type: "action_scope_required", subject }));
      json(response, error.status, {
        code: error.code,
        msg: error.message,
        error: { log_id: "2026010100000000000000000000000000", ...(violations.length > 0 && { permission_violations: violations }) },
      });
    }
  }

  #token(request: ApiRequest, response: ServerResponse): void {
    const { app_id: appId, app_secret: appSecret } = fields(request);
    if (appId !== this.#app.appId) return json(response, 200, { code: 10003, msg: "invalid param" });
    if (appSecret !== this.#app.appSecret) return json(response, 200, { code: 10014, msg: "app secret invalid" });
    const { value, expireSeconds } = this.tokens.issue();
    json(response, 200, { code: 0, msg: "ok", tenant_access_token: value, expire: expireSeconds });
  }

  #answer(request: ApiRequest): Reply {
    if (request.authorization === "") throw new FeishuRefusal(99991661, "Missing access token for authorization.");
    if (!this.tokens.accepts(request.authorization))
      throw new FeishuRefusal(99991663, "Invalid access token for authorization. Please make a request with token attached.");
    for (const [method, pattern, handle] of this.#routes) {
      const match = method === request.method ? pattern.exec(request.path) : null;
      if (match !== null) return handle(request, match.slice(1).map(decodeURIComponent));
    }
    throw new FeishuRefusal(404, "404 page not found", 404);
  }

  #create(request: ApiRequest): Reply {
    const body = fields(request);
    const type = request.query.get("receive_id_type");
    const receiveId = body["receive_id"];
    if (typeof receiveId !== "string" || receiveId === "") throw invalid("receive_id is empty");
    if (type === "chat_id") this.#mustBeIn(receiveId);
    else if (type === "open_id") this.#openDirectChat(receiveId);
    else throw invalid("receive_id_type");
    return this.#accept({ request, receiveId });
  }

  #reply(request: ApiRequest, parentId: string): Reply {
    const chatId = this.messages.chatOf(parentId);
    if (chatId === undefined) throw invalid("invalid message_id");
    if (this.messages.find(parentId)?.deleted === true) throw new FeishuRefusal(230011, "The message was recalled.");
    this.#mustBeIn(chatId);
    return this.#accept({ request, receiveId: chatId, parentId });
  }

  #accept(input: { request: ApiRequest; receiveId: string; parentId?: string }): Reply {
    const { request, receiveId, parentId } = input;
    const body = fields(request);
    const { messageType, content: given } = checkContent(body, request.bytes);
    const uuid = checkUuid(body);
    const duplicate = uuid === undefined ? undefined : this.messages.duplicateOf(uuid, receiveId);
    if (duplicate !== undefined) return { data: asItem(duplicate, this.#app) };
    const { content, sentAs } = this.entities.resolve(given);
    const { image_key: image, file_key: file } = content as { readonly image_key?: string; readonly file_key?: string };
    const key = image ?? file;
    const upload = key === undefined ? undefined : this.uploads.get(key);
    if (key !== undefined && upload === undefined) throw invalid("the key is of no uploaded file");
    if (upload !== undefined && (SHOWN_AS[upload.type] ?? "file") !== messageType)
      throw new FeishuRefusal(230055, "The type of file upload does not match the type of message being sent.");
    const message = this.messages.add({
      receiveId,
      messageType,
      content,
      replyInThread: body["reply_in_thread"] === true,
      ...(uuid !== undefined && { uuid }),
      ...(parentId !== undefined && { parentId }),
      ...this.messages.threadOf(parentId, body["reply_in_thread"] === true),
    });
    sentAs?.(message.messageId);
    return { data: asItem(message, this.#app) };
  }

  #upload({ form }: ApiRequest, kind: string): Reply {
    const isImage = kind === "images";
    const { fields: given = {}, files = {} } = form ?? {};
    const file = files[isImage ? "image" : "file"];
    const isKnown = isImage ? given["image_type"] === "message" : FILE_TYPES.has(given["file_type"] ?? "") && Boolean(given["file_name"]);
    if (file === undefined || !isKnown) throw new FeishuRefusal(234001, "Invalid request param.");
    const { length } = file.bytes;
    if (length === 0) throw new FeishuRefusal(234010, "File's size can't be 0.");
    if (length > (isImage ? 10 : 30) * 1024 * 1024) throw new FeishuRefusal(234006, "The file size exceed the max value.");
    if (isImage && !IMAGE_STARTS.some((start) => Buffer.from(file.bytes).toString("hex", 0, 8).startsWith(start)))
      throw new FeishuRefusal(234011, "Can't recognize the image format.");
    const key = `${isImage ? "img" : "file"}_v3_${this.uploads.size + 1}`;
    this.uploads.set(key, {
      type: isImage ? "image" : (given["file_type"] ?? ""),
      fileName: given["file_name"] ?? file.name,
      bytes: file.bytes,
      ...(given["duration"] !== undefined && { durationMs: Number(given["duration"]) }),
    });
    return { data: isImage ? { image_key: key } : { file_key: key } };
  }

  #update(request: ApiRequest, id: string): Reply {
    const { messageType, content } = checkContent(fields(request), request.bytes);
    const message = this.messages.own(id);
    if (message.messageType === "interactive") throw new FeishuRefusal(230054, "This operation is not supported for this message type.");
    if (message.edits >= 20) throw new FeishuRefusal(230072, "The message has reached the number of times it can be edited.");
    this.messages.replace(id, { messageType, content, edits: message.edits + 1 });
    return { data: asItem({ ...message, messageType, content }, this.#app) };
  }

  #recall(id: string): Reply {
    this.messages.replace(this.messages.own(id).messageId, { deleted: true });
    return { data: {} };
  }

  #react(request: ApiRequest, id: string): Reply {
    const emoji = (fields(request)["reaction_type"] as { emoji_type?: unknown } | undefined)?.emoji_type;
    const reactions = this.#reactions(id);
    if (typeof emoji !== "string" || !/^[A-Za-z0-9_]+$/.test(emoji)) throw new FeishuRefusal(231001, "reaction type is invalid.");
    const reaction = reactions.find((one) => one.emoji === emoji) ?? { reactionId: `reaction-${id}-${emoji}`, emoji };
    if (!reactions.includes(reaction)) reactions.push(reaction);
    return { data: asReaction(reaction, this.#app) };
  }

  #listReactions(id: string): Reply {
    return { data: { items: this.#reactions(id).map((reaction) => asReaction(reaction, this.#app)), has_more: false } };
  }

  #unreact(id: string, reactionId: string): Reply {
    const reactions = this.#reactions(id);
    const index = reactions.findIndex((one) => one.reactionId === reactionId);
    if (index === -1) throw new FeishuRefusal(231007, "The operator is not allowed to delete the reaction.");
    const [reaction] = reactions.splice(index, 1);
    return { data: reaction === undefined ? {} : asReaction(reaction, this.#app) };
  }

  #resource(request: ApiRequest, key: string): Reply {
    const resource = this.resources.get(key);
    // An image is fetched as an image, everything else as a file.
    if (request.query.get("type") !== (key.includes("/img_") ? "image" : "file")) throw new FeishuRefusal(234001, "Invalid request param.");
    if (resource === undefined) throw new FeishuRefusal(234003, "File not in msg.");
    return resource;
  }

  #reactions(id: string): { reactionId: string; emoji: string }[] {
    const reactions = this.messages.reactionsOf(id);
    if (reactions === undefined) throw new FeishuRefusal(231003, "The message is not found.");
    return reactions;
  }

  #mustBeIn(chatId: string): void {
    if (!this.#app.chats.has(chatId)) throw new FeishuRefusal(230002, "The bot can not be outside the group.");
  }

  #openDirectChat(openId: string): void {
    if (!this.#app.people.has(openId)) throw new FeishuRefusal(230013, "Bot has NO availability to this user.");
    this.#app.chats.add(chatIdOf(openId));
    this.#app.directChats.add(chatIdOf(openId));
  }
}

function fields(request: ApiRequest): Record<string, unknown> {
  if (typeof request.body !== "object" || request.body === null) throw invalid("body is not JSON");
  return request.body as Record<string, unknown>;
}

function asReaction(reaction: { reactionId: string; emoji: string }, app: FakeFeishuApp): object {
  return {
    reaction_id: reaction.reactionId,
    operator: { operator_id: app.appId, operator_type: "app" },
    reaction_type: { emoji_type: reaction.emoji },
  };
}

function sendResource(response: ServerResponse, resource: Resource): void {
  response.writeHead(200, {
    "content-type": resource.contentType,
    "content-length": resource.bytes.byteLength,
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(resource.fileName)}`,
  });
  response.end(resource.bytes);
}

function json(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(JSON.stringify(body));
}
