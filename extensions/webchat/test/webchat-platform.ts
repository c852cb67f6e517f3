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
import { type Channel, ChannelError, type Conversation } from "@factotum/channel-contract";
import type { WebchatDelivery, WebchatInput, WebchatSocket } from "@factotum/protocol";

const SESSIONS = { direct: "agent:main:main", group: "agent:main:webchat:direct:second", thread: "agent:main:webchat:direct:third" };

/** The gateway's side of the socket in memory, behind the suite's interface: conversations are sessions, the only person is the owner. */
export class WebchatPlatform implements ConformancePlatform {
  readonly transport = "connection";
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: false,
    massMention: "",
    files: true,
    absent: ["groups", "replies", "credential", "wire"],
  };
  readonly secrets: readonly string[] = [];
  sendRequests = 0;
  readonly #shown: ShownMessage[] = [];
  readonly #uploads = new Map<string, Uint8Array>();
  readonly #entryIds = new Map<string, string>();
  readonly #handlers = new Set<(input: WebchatInput) => Promise<"accepted" | "duplicate">>();
  readonly #faults: SendFault[] = [];
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #gate = Promise.withResolvers<void>();
  #serial = 0;
  #isUp = true;

  /** The socket of the channel. */
  readonly socket: WebchatSocket = {
    listen: (handler) => {
      this.#handlers.add(handler);
      return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
    },
    readUpload: async (ref) => this.#uploads.get(ref),
    deliver: (delivery, { signal }) => this.#take(delivery, signal),
  };

  async #take(delivery: WebchatDelivery, signal: AbortSignal): Promise<{ readonly entryId: string }> {
    if (!this.#isUp) throw new Error("the store is closed");
    this.sendRequests += 1;
    const fault = this.#faults.shift();
    for (const { count, resolve } of this.#waiting) if (this.sendRequests >= count) resolve();
    this.#refuse(delivery, fault);
    const entryId = this.#show(delivery);
    if (fault?.type === "held") await this.#gate.promise;
    signal.throwIfAborted();
    return { entryId };
  }

  #refuse(delivery: WebchatDelivery, fault: SendFault | undefined): void {
    if (fault?.type === "server-error") throw new Error("the store is full");
    if (fault?.type === "forbidden") throw new ChannelError("forbidden", "not here", { retry: { type: "never" } });
    if (fault?.type === "rate-limited")
      throw new ChannelError("rate-limited", "later", { retry: { type: "after", delayMs: fault.delayMs } });
    if (!Object.values(SESSIONS).includes(delivery.sessionKey)) {
      throw new ChannelError("not-found", "there is no such session", { retry: { type: "never" } });
    }
  }

  #show(delivery: WebchatDelivery): string {
    const known = this.#entryIds.get(delivery.idempotencyKey);
    if (known !== undefined) return known;
    const entryId = `entry-${(this.#serial += 1)}`;
    this.#entryIds.set(delivery.idempotencyKey, entryId);
    const shown = { messageId: entryId, conversationId: delivery.sessionKey, text: delivery.text };
    const entry: ShownMessage = { ...shown, inThread: false, deleted: false, reactions: [], notifiedAll: false };
    this.#shown.push(entry);
    return entryId;
  }

  happening(what: TestHappening): TestHappeningEvent {
    throw new Error(`there is no ${what} on this platform`);
  }

  event(message: TestMessage): TestEvent {
    const key = `input-${(this.#serial += 1)}`;
    const text = message.text + (message.mentionsBob === true ? " @Bob" : "");
    const receivedAtMs = 1_700_000_000_000 + this.#serial;
    const conversation = this.target(message.conversation);
    const attachments = (message.files ?? []).map(({ name, bytes }, index) => {
      const ref = `upload:${key}-${index}`;
      this.#uploads.set(ref, bytes);
      return { ref, fileName: name };
    });
    const raw: WebchatInput = {
      sessionKey: conversation.id,
      text,
      ...(attachments.length === 0 ? {} : { attachments }),
      idempotencyKey: key,
      clientName: "control-ui",
      receivedAtMs,
    };
    return { raw, expected: { eventId: key, messageId: key, conversation, senderId: "owner", timestampMs: receivedAtMs } };
  }

  /** The socket carries only inputs of its own account: anything else ends before the channel. */
  async deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    if (options.fault !== undefined) return "acknowledged";
    const handler = [...this.#handlers].at(-1);
    if (handler === undefined) return "unacknowledged";
    return handler(event.raw as WebchatInput).then(
      () => "acknowledged",
      () => "unacknowledged",
    );
  }

  async deliverBytes(): Promise<DeliveryAnswer> {
    return "refused";
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    return { kind: "direct", id: kind === "unknown" ? "agent:nobody:main" : SESSIONS[kind] };
  }

  get shown(): readonly ShownMessage[] {
    return this.#shown;
  }

  get openConnections(): number {
    return this.#handlers.size;
  }

  async sendRequested(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    if (this.sendRequests < count) await promise;
  }

  failNextSend(fault: SendFault): void {
    this.#faults.push(fault);
  }

  refuseReads(): void {
    throw new Error("the channel fetches no context");
  }

  release(): void {
    this.#gate.resolve();
    this.#gate = Promise.withResolvers();
  }

  async shutDown(): Promise<void> {
    this.#isUp = false;
  }

  handshake(): Promise<boolean> {
    throw new Error("WebChat has no handshake.");
  }

  disconnect(): void {
    throw new Error("WebChat has no wire.");
  }

  connected(): Promise<void> {
    throw new Error("WebChat has no wire.");
  }

  revokeTokens(): void {
    throw new Error("WebChat has no tokens.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }
}
