import type { Channel, Conversation } from "@factotum/channel-contract";
import type {
  ConformancePlatform,
  DeliveryAnswer,
  DeliveryFault,
  SendFault,
  ShownMessage,
  TestEvent,
  TestHappening,
  TestHappeningEvent,
  TestMessage,
} from "@factotum/channel-conformance";
import { matrixRelationIn, matrixVisibleText } from "@factotum/testing-channels";
import type { FakeMatrix, MatrixContent, MatrixFault, MatrixStoredEvent } from "@factotum/testing-channels";
import { matrixHappening } from "./happenings.ts";
import type { Raw } from "./happenings.ts";
import { ALICE, BOB, DIRECT, GROUP, startFakeMatrix } from "./scene.ts";

/** Matrix for the conformance suite: the fake homeserver behind the suite's interface. */
export class MatrixPlatform implements ConformancePlatform {
  readonly matrix: FakeMatrix;
  readonly transport = "connection";
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: false,
    massMention: "@room",
    files: true,
  };
  readonly directory: NonNullable<ConformancePlatform["directory"]> = {
    person: { id: ALICE, name: "Alice" },
    group: { id: GROUP, name: "Family" },
  };
  readonly #thread: string;

  private constructor(matrix: FakeMatrix) {
    this.matrix = matrix;
    this.#thread = this.write({ roomId: GROUP, content: { msgtype: "m.text", body: "The thread" } }).event_id;
  }

  static async start(): Promise<MatrixPlatform> {
    // A stopped clock: events that are made after each other have the same time.
    const nowMs = Date.now();
    return new MatrixPlatform(await startFakeMatrix(() => nowMs));
  }

  get secrets(): readonly string[] {
    return [this.matrix.app.bot.token];
  }

  /** Puts an event into a room that no client receives until it is delivered. */
  write(event: {
    readonly roomId: string;
    readonly content: MatrixContent;
    readonly sender?: string;
    readonly type?: string;
    readonly stateKey?: string;
  }): MatrixStoredEvent {
    return this.matrix.store.hide(() => this.matrix.store.append({ sender: ALICE, type: "m.room.message", ...event }));
  }

  event(message: TestMessage): TestEvent {
    const roomId = message.conversation === "direct" ? DIRECT : GROUP;
    const answered =
      message.isReply === true
        ? this.write({ roomId, sender: BOB, content: { msgtype: "m.text", body: "An earlier message" } })
        : undefined;
    const [file] = message.files ?? [];
    const content = {
      ...this.#text(message),
      ...(file !== undefined && this.#file(file)),
      ...relation(message.conversation === "thread" ? this.#thread : undefined, answered?.event_id),
    };
    const sender = message.sender === "self" ? this.matrix.app.bot.id : ALICE;
    const event = this.write({ roomId, content, sender });
    return this.expect(roomId, event, {
      messageId: event.event_id,
      conversation: this.target(message.conversation),
      ...(answered !== undefined && { replyTo: answered.event_id }),
      context: { senderName: "Alice", subject: "Family", ...(answered !== undefined && { quoted: "An earlier message" }) },
    });
  }

  happening(what: TestHappening): TestHappeningEvent {
    return matrixHappening(this, what);
  }

  moved(): TestHappeningEvent {
    const { store, app } = this.matrix;
    const next = store.createRoom({ creator: ALICE, invited: [app.bot.id], name: "Family", predecessor: GROUP });
    const event = this.write({
      roomId: GROUP,
      type: "m.room.tombstone",
      content: { body: "moved", replacement_room: next.id },
      stateKey: "",
    });
    return {
      event: this.expect(GROUP, event, { messageId: event.event_id, conversation: this.target("group") }),
      expected: { type: "moved", to: { kind: "group", id: next.id } },
    };
  }

  /** The delivery of an event, and what is expected of it. */
  expect(roomId: string, event: MatrixStoredEvent, expected: Partial<TestEvent["expected"]> = {}): TestEvent {
    return {
      raw: { roomId, event: () => event } satisfies Raw,
      expected: {
        eventId: event.event_id,
        messageId: event.event_id,
        conversation: this.target("direct"),
        senderId: event.sender,
        timestampMs: event.origin_server_ts,
        ...expected,
      },
    };
  }

  async deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { roomId = GROUP, event: create, outbound } = event.raw as Raw;
    // Events of another user are given to that user's token alone.
    if (options.fault === "other-account") return "refused";
    if (outbound !== undefined) {
      const target = { channel: "matrix", accountId: "second", conversation: this.target("group") };
      const receipt = await channel.send(target, outbound, { signal: AbortSignal.timeout(60_000), idempotencyKey: "own" });
      return receipt.type === "accepted" ? "acknowledged" : "unacknowledged";
    }
    await this.matrix.syncs.positioned();
    const raw = create?.();
    if (options.fault === "unknown-kind")
      return this.matrix.deliver(roomId, { ...(raw as object), event_id: "$other", type: "com.example.new" });
    return this.matrix.deliver(roomId, raw);
  }

  async deliverBytes(_channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    return this.matrix.deliver(GROUP, parsed(Buffer.from(bytes).toString("utf8")));
  }

  handshake(): Promise<boolean> {
    throw new Error("this platform does not check an address");
  }

  disconnect(): void {
    this.matrix.syncs.drop();
  }

  connected(count: number): Promise<void> {
    return this.matrix.syncs.connected(count);
  }

  get openConnections(): number {
    return this.matrix.syncs.open;
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: DIRECT };
    if (kind === "unknown") return { kind: "group", id: "!unknown:fake.example" };
    return { kind: "group", id: GROUP, ...(kind === "thread" && { threadId: this.#thread }) };
  }

  get shown(): readonly ShownMessage[] {
    const { matrix } = this;
    return matrix.sent.map((event) => {
      const room = matrix.store.room(event.room_id);
      const content = matrix.contentOf(event);
      const { "m.relates_to": relation } = event.content as {
        readonly "m.relates_to"?: { readonly is_falling_back?: boolean; readonly "m.in_reply_to"?: { readonly event_id: string } };
      };
      const file = matrix.app.files.get(textIn(content, "url").split("/").at(-1) ?? "");
      const answered = relation?.is_falling_back === true ? undefined : relation?.["m.in_reply_to"]?.event_id;
      const pinned = room.contentOf("m.room.pinned_events")?.["pinned"] as readonly string[] | undefined;
      const shownPoll = pollIn(content);
      return {
        messageId: event.event_id,
        conversationId: event.room_id,
        inThread: matrixRelationIn(event.content).type === "m.thread",
        ...(answered !== undefined && { replyTo: answered }),
        text: matrixVisibleText(content),
        deleted: event.redactedBy !== undefined,
        reactions: room
          .relatedTo(event.event_id, "m.annotation")
          .filter(({ sender }) => sender === matrix.app.bot.id)
          .map((reaction) => matrixRelationIn(reaction.content).key ?? ""),
        ...(file !== undefined && {
          file: { name: textIn(content, "filename"), bytes: file.bytes, isVoice: "org.matrix.msc3245.voice" in content },
        }),
        notifiedAll: notifiesAll(content),
        ...(shownPoll !== undefined && { poll: shownPoll }),
        pinned: pinned?.includes(event.event_id) === true,
      };
    });
  }

  typing(): readonly string[] {
    return this.matrix.typing.filter(({ typing }) => typing).map(({ roomId }) => roomId);
  }

  get sendRequests(): number {
    return this.matrix.requests.filter(({ isChange }) => isChange).length;
  }

  async sendRequested(count: number): Promise<void> {
    await this.matrix.request(() => this.sendRequests >= count);
  }

  failNextSend(fault: SendFault): void {
    this.matrix.failNext(faultOf(fault));
  }

  refuseReads(): void {
    this.matrix.app.refusesReads = true;
  }

  release(): void {
    this.matrix.release();
  }

  async shutDown(): Promise<void> {
    await this.matrix[Symbol.asyncDispose]();
    // The client learns of its closed idle connections: a request on one of them would be ambiguous.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  revokeTokens(): void {
    throw new Error("tokens of this platform are not renewed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.matrix[Symbol.asyncDispose]();
  }

  #text({ text, mentionsBot, mentionsBob }: TestMessage): MatrixContent {
    const { bot } = this.matrix.app;
    if (mentionsBot !== true && mentionsBob !== true) return { msgtype: "m.text", body: text, "m.mentions": {} };
    const [id, name] = mentionsBot === true ? [bot.id, bot.displayName ?? ""] : [BOB, "Bob"];
    const pill = `<a href="https://matrix.to/#/${encodeURIComponent(id)}">${name}</a>`;
    return {
      msgtype: "m.text",
      body: `${text} ${name}`,
      format: "org.matrix.custom.html",
      formatted_body: `${text} ${pill}`,
      "m.mentions": { user_ids: [id] },
    };
  }

  #file({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }): MatrixContent {
    const url = this.matrix.addFile({ name, bytes, mimeType: "text/plain" });
    return { msgtype: "m.file", body: name, filename: name, url, info: { mimetype: "text/plain", size: bytes.length } };
  }
}

function relation(threadId: string | undefined, answered: string | undefined): MatrixContent {
  if (threadId === undefined) return answered === undefined ? {} : { "m.relates_to": { "m.in_reply_to": { event_id: answered } } };
  const inReplyTo = { event_id: answered ?? threadId };
  return {
    "m.relates_to": { rel_type: "m.thread", event_id: threadId, is_falling_back: answered === undefined, "m.in_reply_to": inReplyTo },
  };
}

/** A room is notified by the intention; without `m.mentions` older rules look for the word. */
function notifiesAll(content: MatrixContent): boolean {
  const mentions = content["m.mentions"] as { readonly room?: boolean } | undefined;
  return mentions === undefined ? textIn(content, "body").includes("@room") : mentions.room === true;
}

function textIn(content: MatrixContent, key: string): string {
  const value = content[key];
  return typeof value === "string" ? value : "";
}

function pollIn(content: MatrixContent): ShownMessage["poll"] {
  const poll = content["org.matrix.msc3381.poll.start"] as
    | {
        readonly question: { readonly body: string };
        readonly max_selections: number;
        readonly answers: readonly Readonly<Record<string, string>>[];
      }
    | undefined;
  if (poll === undefined) return undefined;
  const options = poll.answers.map((answer) => answer["org.matrix.msc1767.text"] ?? "");
  return { question: poll.question.body, options, multiple: poll.max_selections > 1 };
}

function faultOf(fault: SendFault): MatrixFault {
  switch (fault.type) {
    case "rate-limited":
      return { type: "rate-limit", delayMs: fault.delayMs };
    case "server-error":
      return { type: "http", status: 502 };
    case "forbidden":
      return { type: "refuse", status: 403, code: "M_FORBIDDEN" };
    case "answer-lost":
      return { type: "accept-then-drop" };
    case "answer-unreadable":
      return { type: "accept-then-garbage" };
    case "held":
      return { type: "hold" };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
