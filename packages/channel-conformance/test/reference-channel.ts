import { createHash } from "node:crypto";
import { ChannelError, messageId } from "@factotum/channel-contract";
import type {
  ActionName,
  CallOptions,
  Channel,
  ChannelAction,
  ChannelCapabilities,
  ChannelHealth,
  ChannelHost,
  DirectoryEntry,
  HistoryMessage,
  InboundEvent,
  LoginStep,
  MessageContext,
  MessageId,
  MsgContext,
  Origin,
  Outbound,
  ProbeResult,
  Reconciliation,
  SendOptions,
  SendReceipt,
} from "@factotum/channel-contract";
import { ACTION_NAMES, MAX_BUTTONS, MAX_FILES, MAX_POLL_OPTIONS, ReferenceExtras, renderRich } from "./reference-extras.ts";
import type { ExtraDefect } from "./reference-extras.ts";
import { BOT_ID, ReferenceBreak, SECRETS, sign } from "./reference-platform.ts";
import type { ReferenceAnswer, ReferenceCall, ReferenceEvent, ReferencePlatform } from "./reference-platform.ts";

/** Possible defects; each changes one thing of the correct adapter. */
export type Defect =
  | ExtraDefect
  | "acks-early"
  | "acks-what-was-not-stored"
  | "dedupes-in-memory-and-releases-never"
  | "hands-over-own-messages"
  | "hides-bots"
  | "drops-bots"
  | "trusts-every-id"
  | "trusts-no-id"
  | "makes-up-event-ids"
  | "uses-event-id-for-message"
  | "seconds-for-milliseconds"
  | "account-is-default"
  | "no-thread-address"
  | "group-is-direct"
  | "sender-is-name"
  | "everyone-mentions-the-bot"
  | "never-mentioned"
  | "raw-mentions"
  | "hides-whose-names"
  | "no-reply"
  | "trims-text"
  | "extra-field"
  | "undefined-is-a-date"
  | "throws-on-garbage"
  | "refuses-unknown-kinds"
  | "takes-other-accounts"
  | "believes-everything"
  | "no-freshness"
  | "parses-before-it-verifies"
  | "answers-every-challenge"
  | "answers-no-challenge"
  | "reads-all"
  | "works-after-stop"
  | "webhook-without-one"
  | "never-reconnects"
  | "leaks-connections"
  | "fetches-any-size"
  | "any-reference"
  | "drops-files"
  | "reverses-files"
  | "fetches-another-kind"
  | "fetches-no-context"
  | "throws-without-permission"
  | "to-the-last-chat"
  | "no-thread-out"
  | "no-reply-out"
  | "strips-markup"
  | "strips-code"
  | "rings"
  | "bytes-for-characters"
  | "no-limit"
  | "sends-blank"
  | "throws-undeclared"
  | "out-of-order"
  | "no-key"
  | "cuts-keys"
  | "one-key-for-all"
  | "edit-adds"
  | "edit-lies"
  | "edit-limit-less-one"
  | "edit-is-cut"
  | "lost-edit-is-accepted"
  | "repeats-lost-edits"
  | "media-is-text"
  | "names-files-itself"
  | "media-of-any-size"
  | "typing-is-text"
  | "delete-lies"
  | "reaction-lies"
  | "seconds-in-retry"
  | "server-error-is-final"
  | "lost-is-accepted"
  | "repeats-lost"
  | "unreachable-is-ambiguous"
  | "forbidden-is-retried"
  | "unknown-is-unreachable"
  | "queue-stops-at-failure"
  | "never-renews"
  | "unauthorized-is-retried"
  | "ignores-abort"
  | "stop-does-not-wait"
  | "stop-waits-for-ever"
  | "start-does-not-check"
  | "start-ignores-abort"
  | "start-twice-is-twice"
  | "stop-twice-throws"
  | "always-connected"
  | "never-connected"
  | "refusal-is-evidence"
  | "no-detail"
  | "acts"
  | "finds-everybody"
  | "finds-nobody"
  | "logs-secrets"
  | "logs-words"
  | "declares-nonsense"
  | "dedupes-by-words"
  | "always-in-a-thread"
  | "limit-less-one"
  | "cuts-the-last-line"
  | "cuts-lines-over-the-limit"
  | "files-notify"
  | "stops-only-what-started"
  | "drops-edits"
  | "edits-without-text"
  | "whispers-aloud"
  | "drops-deletions"
  | "drops-reactions"
  | "takes-back-nothing"
  | "drops-presses"
  | "drops-members"
  | "everybody-joins"
  | "members-add-themselves"
  | "does-not-know-itself"
  | "drops-votes"
  | "drops-receipts"
  | "makes-up-ids-of-events"
  | "captions-are-lost"
  | "voice-is-a-file"
  | "polls-without-cursor"
  | "typing-does-nothing"
  | "always-the-same-reaction"
  | "unreadable-is-accepted"
  | "unreadable-edit-is-accepted"
  | "contradicts-itself"
  | "declares-what-is-not-tested";

const DROPS: Partial<Record<Defect, InboundEvent["type"]>> = {
  "drops-edits": "edit",
  "drops-deletions": "delete",
  "drops-reactions": "reaction",
  "drops-presses": "action",
  "drops-members": "member",
  "drops-votes": "vote",
  "drops-receipts": "receipt",
  "drops-moves": "moved",
};

/** What an adapter without any extras declares. */
const PLAIN: Partial<ChannelCapabilities> = {
  edit: false,
  delete: false,
  reactions: false,
  polls: false,
  typing: false,
  voiceMessages: false,
  nativeCommands: false,
  buttons: false,
  cards: false,
  cardEdits: false,
  forms: false,
  ephemeral: false,
  silent: false,
  limits: {},
  optional: [],
  replyContext: false,
  streaming: "none",
  events: [],
  actions: [],
};

const MAX_LENGTH = 500;
const MAX_LINES = 130;
const NO_ANSWER = "no answer";
const ZERO_WIDTH = "\u200b";

interface Config {
  readonly platform: ReferencePlatform;
  readonly host: ChannelHost;
  readonly credential: "right" | "wrong";
  readonly defect: Defect | undefined;
  /** Declares text and files alone. */
  readonly isPlain?: boolean;
  /** Declares that it polls; the events come by the same connection. */
  readonly isPolling?: boolean;
}

/** An adapter for the fictional platform, correct except for the given defect. */
export class ReferenceChannel implements Channel {
  readonly capabilities: ChannelCapabilities;
  readonly #config: Config;
  readonly #seen = new Set<string>();
  readonly #lives = new AbortController();
  #tail: Promise<unknown> = Promise.resolve();
  #wire = new Set<Promise<unknown>>();
  #state: ChannelHealth["state"] = "starting";
  #evidenceAtMs: number | undefined;
  #detail: string | undefined;
  #token: string | undefined;
  #lastChat: string | undefined;
  #started = false;
  #disconnect: (() => void) | undefined;
  #sends = 0;
  readonly #extras: ReferenceExtras;
  #menu: Disposable | undefined;

  constructor(config: Config) {
    this.#config = config;
    this.#extras = new ReferenceExtras({
      host: config.host,
      is: (defect) => this.#is(defect),
      call: async (call, signal) => this.#call(call, signal),
    });
    const isWebhook = (config.platform.transport === "webhook") !== this.#is("wrong-guarantee");
    this.capabilities = {
      addressing: "platform",
      inbound: isWebhook
        ? { delivery: "redelivers", transport: "webhook", webhookAuth: "signature" }
        : { delivery: "resumes", transport: "connection" },
      text: {
        maxLength: this.#is("declares-nonsense") ? 499.5 : MAX_LENGTH,
        unit: "utf16",
        maxLines: MAX_LINES,
        markdown: "full",
        dialect: "reference",
      },
      threads: "native",
      edit: true,
      delete: true,
      reactions: true,
      polls: true,
      typing: true,
      media: [
        { kind: "image", maxBytes: 2_000 },
        { kind: "audio", maxBytes: 2_000 },
        { kind: "file", maxBytes: 2_000 },
      ],
      voiceMessages: true,
      nativeCommands: true,
      buttons: true,
      cards: true,
      cardEdits: true,
      forms: true,
      ephemeral: true,
      silent: true,
      limits: {
        buttonsPerCard: MAX_BUTTONS,
        buttonValueBytes: 200,
        pollOptions: MAX_POLL_OPTIONS,
        captionLength: 200,
        filesPerMessage: MAX_FILES,
      },
      optional: ["login", "probe", "directory", "history", "reconcile"],
      replyContext: true,
      streaming: "native",
      idempotentSend: { windowMs: 60_000, maxKeyLength: 40 },
      caseSensitiveIds: true,
      fetchesContext: true,
      events: ["edit", "delete", "reaction", "action", "member", "vote", "receipt", "moved"],
      actions: ACTION_NAMES,
      ...(config.isPlain === true && PLAIN),
      ...(config.isPolling === true && { inbound: { delivery: "redelivers", transport: "polling" } }),
      ...(this.#is("contradicts-itself") && { limits: { pollOptions: MAX_POLL_OPTIONS } }),
      ...(this.#is("declares-what-is-not-tested") && { actions: [...ACTION_NAMES, "teleport" as ActionName] }),
    };
  }

  #is(defect: Defect): boolean {
    return this.#config.defect === defect;
  }

  async start({ signal }: CallOptions): Promise<void> {
    if (!this.#is("start-ignores-abort")) signal.throwIfAborted();
    if (this.#started && !this.#is("start-twice-is-twice")) return;
    this.#started = true;
    if (this.#is("logs-secrets")) this.#config.host.logger.debug("start", { credential: this.#secret });
    if (!this.#is("start-does-not-check")) await this.#checkCredential(signal);
    if (this.#config.platform.transport === "connection")
      this.#connect(this.#is("ignores-cursor") ? undefined : await this.#config.host.cursor());
    if (this.capabilities.nativeCommands) this.#menu = this.#extras.followCommands(this.#lives.signal);
    if (this.#is("always-connected")) this.#state = "connected";
  }

  get #secret(): string {
    return this.#config.credential === "right" ? SECRETS.credential : "a wrong one";
  }

  #connect(cursor?: string): void {
    const handlers = {
      onEvent: (raw: string) => this.#event(raw).then((status) => status === 200),
      onClose: () => {
        this.#state = "disconnected";
        if (this.#is("never-reconnects") || this.#lives.signal.aborted) return;
        setImmediate(() => {
          if (this.#lives.signal.aborted) return;
          this.#reconnect();
          if (this.#is("leaks-connections")) this.#reconnect();
        });
      },
    };
    this.#disconnect = this.#config.platform.connect(this.#secret, handlers, cursor);
    this.#state = this.#is("never-connected") ? "starting" : "connected";
    this.#evidenceAtMs = Date.now();
  }

  #reconnect(): void {
    try {
      this.#connect();
    } catch (error) {
      this.#detail = error instanceof Error ? error.message : "failed";
    }
  }

  async handleWebhook(request: Request, { signal }: CallOptions): Promise<Response> {
    const { platform } = this.#config;
    if (platform.transport === "connection") return new Response(null, { status: this.#is("webhook-without-one") ? 200 : 404 });
    if (this.#state === "stopped" && !this.#is("works-after-stop")) return new Response(null, { status: 503 });
    const body = await this.#read(request, signal);
    if (body === undefined) return new Response(null, { status: 413 });
    if (this.#is("parses-before-it-verifies")) JSON.parse(body);
    const challenge = challengeOf(body);
    if (challenge !== undefined && !this.#is("answers-no-challenge")) {
      const right = challenge.token === SECRETS.challenge || this.#is("answers-every-challenge");
      return right ? new Response(challenge.challenge) : new Response(null, { status: 401 });
    }
    const time = request.headers.get("x-time") ?? "";
    const fresh = this.#is("no-freshness") || Math.abs(Number(time) * 1_000 - Date.now()) < 300_000;
    const signed = request.headers.get("x-signature") === sign(SECRETS.signing, time, body);
    if ((!signed || !fresh) && !this.#is("believes-everything")) {
      if (this.#is("refusal-is-evidence")) this.#evidence();
      return new Response(null, { status: 401 });
    }
    return new Response(null, { status: await this.#event(body) });
  }

  async #read(request: Request, signal: AbortSignal): Promise<string | undefined> {
    let text = "";
    try {
      for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
        signal.throwIfAborted();
        text += Buffer.from(part).toString("latin1");
        if (text.length > 1_000_000 && !this.#is("reads-all")) return undefined;
      }
    } catch (error) {
      if (this.#is("throws-on-garbage")) throw error;
      return undefined;
    }
    return Buffer.from(text, "latin1").toString("utf8");
  }

  #evidence(): void {
    if (!this.#is("never-connected")) this.#state = "connected";
    this.#evidenceAtMs = Date.now();
  }

  async #event(raw: string): Promise<number> {
    const event = parseEvent(raw);
    if (event === undefined) {
      if (this.#is("throws-on-garbage")) throw new Error("garbage");
      return 400;
    }
    this.#evidence();
    if (event.account !== "account-1" && !this.#is("takes-other-accounts"))
      return this.#config.platform.transport === "webhook" ? 403 : 200;
    if (event.detail !== undefined) return this.#otherEvent(event, event.detail);
    if (event.kind !== "message") return this.#is("refuses-unknown-kinds") ? 400 : 200;
    if (event.message.sender === BOT_ID && !this.#is("hands-over-own-messages")) return 200;
    if (event.message.senderIsBot && event.message.sender !== BOT_ID && this.#is("drops-bots")) return 200;
    if (this.#is("dedupes-in-memory-and-releases-never") || this.#is("dedupes-by-words")) {
      const key = this.#is("dedupes-by-words") ? `${event.message.text} ${event.message.sender}` : event.id;
      if (this.#seen.has(key)) return 200;
      this.#seen.add(key);
    }
    return this.#handOver(this.#parse(event), event);
  }

  async #otherEvent(event: ReferenceEvent, detail: InboundEvent): Promise<number> {
    const { defect } = this.#config;
    if (defect !== undefined && DROPS[defect] === detail.type) return 200;
    const { id, message } = event;
    const kind = message.direct ? "direct" : "group";
    const parsed: MsgContext = {
      origin: { channel: "reference", accountId: this.#config.host.accountId, conversation: { kind, id: message.chat } },
      eventId: this.#is("makes-up-ids-of-events") ? this.#config.host.random.uuid() : id,
      messageId: messageId(message.id),
      timestampMs: message.atSeconds * 1_000,
      event: this.#spoiled(detail),
      sender: { id: detail.type === "member" && this.#is("members-add-themselves") ? detail.member.id : message.sender, isBot: false },
      text: this.#is("edits-without-text") && detail.type === "edit" ? "" : message.text,
      mentionsBot: false,
      attachments: [],
    };
    return this.#handOver(parsed, event);
  }

  #spoiled(detail: InboundEvent): InboundEvent {
    if (detail.type === "reaction" && this.#is("takes-back-nothing")) return { ...detail, removed: false };
    if (detail.type === "member" && this.#is("everybody-joins")) return { ...detail, change: "joined" };
    if (detail.type === "action" && this.#is("drops-values-of-inputs")) {
      const { inputs: _dropped, ...press } = detail;
      return press;
    }
    if (detail.type === "member" && this.#is("does-not-know-itself")) return { ...detail, member: { ...detail.member, isSelf: false } };
    return detail;
  }

  async #handOver(message: MsgContext, { id }: ReferenceEvent): Promise<number> {
    const { host, platform } = this.#config;
    const progress =
      platform.transport === "connection" && !this.#is("commits-no-cursor") && !this.#is("polls-without-cursor") ? { cursor: id } : {};
    if (this.#is("logs-words")) host.logger.info("received", { text: message.text });
    this.#lastChat = message.origin.conversation.id;
    const stored = host.receive(message, progress);
    if (this.#is("acks-early")) {
      stored.catch(() => undefined);
      return 200;
    }
    try {
      await stored;
      this.#detail = undefined;
      return 200;
    } catch (error) {
      this.#detail = this.#is("no-detail") ? undefined : String(error instanceof Error ? error.message : "failed");
      return this.#is("acks-what-was-not-stored") ? 200 : 500;
    }
  }

  #parse({ id, message, command: native, isCommandOrText, token }: ReferenceEvent): MsgContext {
    const command = isCommandOrText === true ? this.#extras.commandOrText(message.text) : native;
    const isDirect = message.direct || this.#is("group-is-direct");
    const names = new Map(message.mentions.map((mention) => [mention.id, mention.name]));
    const text = this.#is("raw-mentions")
      ? message.text
      : message.text.replace(/<@(\w+)>/g, (_, who: string) => `@${names.get(who) ?? who}`);
    const atMs = this.#is("seconds-for-milliseconds") ? message.atSeconds : message.atSeconds * 1_000;
    const parsed: MsgContext = {
      origin: {
        channel: "reference",
        accountId: this.#is("account-is-default") ? "default" : this.#config.host.accountId,
        conversation: {
          kind: isDirect ? "direct" : "group",
          id: message.chat,
          ...(message.thread !== undefined && !this.#is("no-thread-address") && { threadId: message.thread }),
        },
      },
      eventId: this.#is("makes-up-event-ids") ? this.#config.host.random.uuid() : id,
      messageId: messageId(this.#is("uses-event-id-for-message") ? id : message.id),
      timestampMs: atMs,
      event: { type: "message" },
      sender: {
        id: this.#is("sender-is-name") ? "Alice" : message.sender,
        isBot: message.senderIsBot && !this.#is("hides-bots"),
        ...((this.#is("trusts-no-id") || (message.senderIsUnverified && !this.#is("trusts-every-id"))) && { isUnverified: true }),
      },
      text: this.#is("trims-text") ? text.replace(/\s+/g, " ") : text,
      mentionsBot: this.#is("everyone-mentions-the-bot") || (names.has(BOT_ID) && !this.#is("never-mentioned")),
      ...(!this.#is("hides-whose-names") && { mentions: message.mentions.filter((mention) => mention.id !== BOT_ID) }),
      ...(message.replyTo !== undefined &&
        !this.#is("no-reply") && { replyTo: { messageId: messageId(message.replyTo), body: "", isQuote: false } }),
      ...(token !== undefined && !this.#is("no-reply-context") && { replyContext: { data: token } }),
      ...(command !== undefined && !this.#is("no-native-commands") && { command }),
      ...(this.#is("everything-is-a-command") && { command: command ?? { name: text, argumentsText: "" } }),
      attachments: this.#attachments(message.files),
    };
    if (this.#is("extra-field")) return { ...parsed, extra: true } as MsgContext;
    return this.#is("undefined-is-a-date") ? ({ ...parsed, group: { subject: undefined } } as unknown as MsgContext) : parsed;
  }

  #attachments(files: ReferenceEvent["message"]["files"]): MsgContext["attachments"] {
    if (this.#is("drops-files")) return [];
    const inOrder = this.#is("reverses-files") ? files.toReversed() : files;
    return inOrder.map(({ key, name }) => ({ kind: "file", ref: JSON.stringify({ key }), fileName: name }));
  }

  send(target: Origin, outbound: Outbound, options: SendOptions): Promise<SendReceipt> {
    const run = (): Promise<SendReceipt> => {
      if (this.#state === "stopped" && !this.#is("works-after-stop")) return Promise.resolve(rejected("unreachable", "backoff"));
      if (options.signal.aborted && !this.#is("ignores-abort")) return Promise.resolve(rejected("unreachable", "backoff"));
      const sending = this.#dispatch(target, outbound, options);
      this.#wire.add(sending);
      void sending.finally(() => this.#wire.delete(sending)).catch(() => undefined);
      return sending;
    };
    if (this.#is("out-of-order")) return run();
    const result = this.#tail.then(run);
    this.#tail = this.#is("queue-stops-at-failure")
      ? result.then((receipt) => (receipt.type === "accepted" ? receipt : new Promise<never>(() => undefined)))
      : result.catch(() => undefined);
    return result;
  }

  async #edit({ targetId: id, text }: Extract<Outbound, { type: "edit" }>, ends: AbortSignal): Promise<SendReceipt> {
    if (text.length > (this.#is("edit-limit-less-one") ? MAX_LENGTH - 1 : MAX_LENGTH) && !this.#is("edit-is-cut"))
      return rejected("too-long");
    if (this.#is("edit-keeps-growing")) return this.#receipt({ type: "change", id, change: { text } }, ends);
    const receipt = await this.#receipt({ type: "edit", id, text: this.#render(text.slice(0, MAX_LENGTH)) }, ends);
    if (receipt.type !== "ambiguous") return receipt;
    const isLost = receipt.cause === NO_ANSWER;
    if (isLost && this.#is("repeats-lost-edits")) {
      await this.#receipt({ type: "edit", id, text: this.#render(text) }, ends);
      return receipt;
    }
    const isIgnored = this.#is(isLost ? "lost-edit-is-accepted" : "unreadable-edit-is-accepted");
    return isIgnored ? { type: "accepted", messageIds: [messageId(id)] } : receipt;
  }

  async #dispatch(target: Origin, outbound: Outbound, { signal, idempotencyKey, replyContext }: SendOptions): Promise<SendReceipt> {
    if (replyContext?.startsWith("reply-") === false && this.#is("trusts-reply-context")) return rejected("rejected");
    const ends = this.#is("ignores-abort") ? new AbortController().signal : AbortSignal.any([signal, this.#lives.signal]);
    this.#sends += 1;
    if (outbound.type !== "text" && outbound.type !== "media" && this.#config.isPlain === true) {
      if (this.#is("throws-undeclared")) throw new Error("not supported");
      return rejected("rejected");
    }
    switch (outbound.type) {
      case "text": {
        if (outbound.onlyFor !== undefined && this.capabilities.ephemeral !== true && !this.#is("whispers-aloud"))
          return rejected("rejected");
        if (outbound.text.trim() === "" && !this.#is("sends-blank")) return rejected("rejected");
        const length = this.#is("bytes-for-characters") ? Buffer.byteLength(outbound.text) : outbound.text.length;
        if (length > (this.#is("limit-less-one") ? MAX_LENGTH - 1 : MAX_LENGTH) && !this.#is("no-limit")) return rejected("too-long");
        const { id, threadId } = target.conversation;
        const send: Omit<Extract<ReferenceCall, { type: "send" }>, "token"> = {
          type: "send",
          chat: this.#is("to-the-last-chat") ? (this.#lastChat ?? "room") : id,
          ...(threadId !== undefined && !this.#is("no-thread-out") && { thread: threadId }),
          ...(this.#is("always-in-a-thread") && { thread: "t1" }),
          ...(outbound.replyTo !== undefined && !this.#is("no-reply-out") && { replyTo: outbound.replyTo }),
          text: this.#render(this.#cutLines(outbound.text)),
          key: this.#key(idempotencyKey),
          more: {
            ...(outbound.onlyFor !== undefined && !this.#is("shows-all") && { onlyFor: outbound.onlyFor }),
            ...(outbound.silent === true && !this.#is("notifies-always") && { silent: true }),
          },
        };
        return this.#receipt(send, ends);
      }
      case "edit":
        if (this.#is("edit-lies")) return { type: "accepted", messageIds: [outbound.targetId] };
        if (this.#is("edit-adds"))
          return this.#receipt({ type: "send", chat: target.conversation.id, text: outbound.text, key: `edit-${this.#sends}` }, ends);
        return this.#edit(outbound, ends);
      case "card":
      case "edit-card":
      case "poll":
      case "album":
      case "stream": {
        if (outbound.type === "edit-card" && this.#is("card-edit-lies")) return { type: "accepted", messageIds: [outbound.targetId] };
        const rich = renderRich(outbound, { chat: target.conversation.id, key: this.#key(idempotencyKey) }, (defect) => this.#is(defect));
        return rich === undefined ? rejected("rejected") : this.#receipt(rich, ends);
      }
      case "typing":
        if (this.#is("typing-is-text"))
          return this.#receipt({ type: "send", chat: target.conversation.id, text: "…", key: `typing-${this.#sends}` }, ends);
        if (!this.#is("typing-does-nothing")) await this.#call({ type: "typing", chat: target.conversation.id }, ends);
        return { type: "accepted", messageIds: [] };
      case "media":
        return this.#sendMedia(target, outbound, { key: this.#key(idempotencyKey), signal: ends });
      case "delete":
        return this.#is("delete-lies")
          ? { type: "accepted", messageIds: [outbound.targetId] }
          : this.#receipt({ type: "delete", id: outbound.targetId }, ends);
      case "reaction":
        if (this.#is("reaction-lies")) return { type: "accepted", messageIds: [outbound.targetId] };
        return this.#receipt(
          {
            type: "react",
            id: outbound.targetId,
            emoji: this.#is("always-the-same-reaction") ? "👍" : outbound.emoji,
            removed: outbound.removed,
          },
          ends,
        );
    }
  }

  async #sendMedia(
    target: Origin,
    { media, caption = "", silent = false }: Extract<Outbound, { type: "media" }>,
    { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<SendReceipt> {
    if (media.bytes.length > 2_000 && !this.#is("media-of-any-size")) return rejected("too-long");
    const name = this.#is("names-files-itself") ? "file.bin" : (media.fileName ?? "");
    const call = {
      type: "send",
      chat: target.conversation.id,
      text: this.#is("captions-are-lost") ? "" : caption,
      key,
      ...(silent && !this.#is("files-notify") && { more: { silent } }),
    } as const;
    const file = { name, bytes: media.bytes, ...(media.voice === true && !this.#is("voice-is-a-file") && { isVoice: true }) };
    return this.#receipt(this.#is("media-is-text") ? { ...call, text: name } : { ...call, file }, signal);
  }

  #render(text: string): string {
    const safe = this.#is("rings") ? text : text.replaceAll("<!all>", `<${ZERO_WIDTH}!all>`);
    if (this.#is("strips-code")) return safe.replace(/```[^]*?```/g, "[code]");
    return this.#is("strips-markup") ? safe.replace(/^\|.*$/gm, "").replace(/^>.*$/gm, "") : safe;
  }

  #cutLines(text: string): string {
    const lines = text.split("\n");
    if (lines.length < MAX_LINES) return text;
    if (this.#is("cuts-the-last-line")) return lines.slice(0, -1).join("\n");
    return this.#is("cuts-lines-over-the-limit") ? lines.slice(0, MAX_LINES).join("\n") : text;
  }

  #key(key: string): string {
    if (this.#is("no-key")) return `k-${this.#sends}`;
    if (this.#is("one-key-for-all")) return "k";
    if (this.#is("cuts-keys")) return key.slice(0, 40);
    return key.length <= 40 ? key : createHash("sha256").update(key).digest("hex").slice(0, 40);
  }

  async #receipt(
    call: DistributiveOmit<Exclude<ReferenceCall, { type: "token" }>, "token">,
    signal: AbortSignal,
    tries = 0,
  ): Promise<SendReceipt> {
    try {
      const answer = await this.#call(call, signal);
      if (answer.status === 401 && tries === 0 && !this.#is("never-renews")) {
        this.#token = undefined;
        return await this.#receipt(call, signal, 1);
      }
      return this.#toReceipt(answer);
    } catch (error) {
      if (!(error instanceof ReferenceBreak)) throw error;
      if (!error.sent)
        return this.#is("unreachable-is-ambiguous") ? { type: "ambiguous", cause: "refused" } : rejected("unreachable", "backoff");
      if (this.#is("lost-is-accepted")) return { type: "accepted", messageIds: [messageId("s1")] };
      return this.#is("repeats-lost") && tries === 0 ? this.#receipt(call, signal, 1) : { type: "ambiguous", cause: NO_ANSWER };
    }
  }

  async #call(call: DistributiveOmit<Exclude<ReferenceCall, { type: "token" }>, "token">, signal: AbortSignal): Promise<ReferenceAnswer> {
    if (this.#token === undefined) {
      const answer = await this.#config.platform.call({ type: "token", secret: this.#secret }, signal);
      if (answer.status !== 200) return answer;
      this.#token = answer.value ?? "";
    }
    return this.#config.platform.call({ ...call, token: this.#token }, signal);
  }

  #toReceipt({ status, value, retryAfterSeconds = 0 }: ReferenceAnswer): SendReceipt {
    switch (status) {
      case 200:
        if (value === undefined && !this.#is("unreadable-is-accepted")) return { type: "ambiguous", cause: "the answer cannot be read" };
        return { type: "accepted", messageIds: [messageId(value ?? "")] };
      case 401:
        return rejected("unauthorized", this.#is("unauthorized-is-retried") ? "backoff" : "never");
      case 403:
        return rejected("forbidden", this.#is("forbidden-is-retried") ? "backoff" : "never");
      case 404:
        return this.#is("unknown-is-unreachable") ? rejected("unreachable", "backoff") : rejected("not-found");
      case 413:
        return rejected("too-long");
      case 429:
        return {
          type: "rejected",
          code: "rate-limited",
          retry: { type: "after", delayMs: retryAfterSeconds * (this.#is("seconds-in-retry") ? 1 : 1_000) },
        };
      default:
        return this.#is("server-error-is-final") ? rejected("rejected") : { type: "ambiguous", cause: `status ${status}` };
    }
  }

  async act(action: ChannelAction, options: CallOptions): Promise<{ value: unknown }> {
    if (this.capabilities.actions.includes(action.name)) return this.#extras.act(action, options);
    if (this.#is("acts")) return { value: null };
    throw new ChannelError("rejected", "not supported", { retry: { type: "never" } });
  }

  async probe(options: CallOptions): Promise<ProbeResult> {
    if (this.#is("probe-starts")) await this.start(options);
    return this.#extras.probe(options, async () => this.#checkCredential(options.signal));
  }

  async directory(query: string, options: CallOptions & { readonly limit: number }): Promise<readonly DirectoryEntry[]> {
    return this.#extras.directory(query, options);
  }

  async history(
    target: Origin,
    options: CallOptions & { readonly limit: number; readonly before?: MessageId },
  ): Promise<readonly HistoryMessage[]> {
    return this.#extras.history(target, options);
  }

  async reconcile(_target: Origin, _outbound: Outbound, options: SendOptions & { readonly sentAtMs: number }): Promise<Reconciliation> {
    return this.#extras.reconcile(this.#key(options.idempotencyKey), options);
  }

  login(options: CallOptions): AsyncIterable<LoginStep> {
    return this.#extras.login(options);
  }

  async #checkCredential(signal: AbortSignal): Promise<void> {
    const { status } = await this.#config.platform.call({ type: "token", secret: this.#secret }, signal);
    if (status === 401) throw new ChannelError("unauthorized", "wrong credential", { retry: { type: "never" } });
  }

  async fetchAttachment(
    ref: { readonly ref: string },
    options: CallOptions & { readonly maxBytes: number },
  ): ReturnType<Channel["fetchAttachment"]> {
    const key = keyOf(ref.ref);
    if (key === undefined && this.#is("any-reference")) return { kind: "file", mimeType: "text/plain", bytes: new Uint8Array() };
    if (key === undefined) throw new ChannelError("not-found", "not ours", { retry: { type: "never" } });
    const { bytes = new Uint8Array() } = await this.#call({ type: "file", key }, options.signal);
    if (bytes.byteLength > options.maxBytes && !this.#is("fetches-any-size"))
      throw new ChannelError("too-long", "too large", { retry: { type: "never" } });
    return { kind: this.#is("fetches-another-kind") ? "image" : "file", mimeType: "text/plain", bytes };
  }

  async fetchContext({ messageId: id, replyTo }: MsgContext, { signal }: CallOptions): Promise<MessageContext> {
    if (this.#is("fetches-no-context")) return {};
    const { status, value = "{}" } = await this.#call({ type: "context", message: id }, signal);
    if (status !== 200) {
      this.#detail = "the permission to read is missing";
      if (this.#is("throws-without-permission")) throw new ChannelError("forbidden", "not permitted", { retry: { type: "never" } });
      return {};
    }
    const { senderName, subject, quoted } = JSON.parse(value) as { senderName: string; subject: string; quoted: string };
    return {
      senderName,
      group: { subject },
      ...(replyTo !== undefined && { replyTo: { ...replyTo, body: quoted } }),
    };
  }

  resolveTarget(query: string): Promise<Origin | undefined> {
    const { accountId } = this.#config.host;
    const id = /^(?:channel|user):(room|dm|alice)$/.exec(query)?.[1];
    if (this.#is("finds-everybody"))
      return Promise.resolve({ channel: "reference", accountId, conversation: { kind: "group", id: "room" } });
    if (id === undefined || this.#is("finds-nobody")) return Promise.resolve(undefined);
    return Promise.resolve({ channel: "reference", accountId, conversation: { kind: "group", id } });
  }

  health(): ChannelHealth {
    const state = this.#is("always-connected") && this.#state !== "stopped" ? "connected" : this.#state;
    return {
      state,
      ...(this.#evidenceAtMs !== undefined && { evidenceAtMs: this.#evidenceAtMs }),
      ...(this.#detail !== undefined && { detail: this.#detail }),
    };
  }

  async stop({ signal }: CallOptions): Promise<void> {
    if (this.#state === "stopped" && this.#is("stop-twice-throws")) throw new Error("stopped already");
    if (!this.#started && this.#is("stops-only-what-started")) return;
    this.#state = "stopped";
    this.#menu?.[Symbol.dispose]();
    if (!this.#is("leaks-connections")) this.#disconnect?.();
    const giveUp = (): void => this.#lives.abort();
    if (!this.#is("stop-waits-for-ever")) {
      if (signal.aborted) giveUp();
      signal.addEventListener("abort", giveUp, { once: true });
    }
    if (!this.#is("stop-does-not-wait")) await Promise.allSettled(this.#wire);
    this.#lives.abort();
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function rejected(
  code: "unauthorized" | "forbidden" | "not-found" | "rejected" | "too-long" | "unreachable",
  retry: "never" | "backoff" = "never",
): SendReceipt {
  return { type: "rejected", code, retry: { type: retry } };
}

function parseEvent(raw: string): ReferenceEvent | undefined {
  const value = parseJson(raw);
  return typeof value === "object" && value !== null && "message" in value && "id" in value ? (value as ReferenceEvent) : undefined;
}

function challengeOf(raw: string): { readonly token: string; readonly challenge: string } | undefined {
  const value = parseJson(raw) as { kind?: unknown; token: string; challenge: string } | null | undefined;
  return value?.kind === "challenge" ? value : undefined;
}

function keyOf(ref: string): string | undefined {
  const value = parseJson(ref) as { key?: unknown } | null | undefined;
  return typeof value?.key === "string" ? value.key : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
