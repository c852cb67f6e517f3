import type {
  ConformanceGateway,
  ConformancePlatform,
  DeliveryAnswer,
  DeliveryFault,
  SendFault,
  ShownMessage,
  TestEvent,
  TestHappeningEvent,
  TestMessage,
} from "@factotum/channel-conformance";
import type { Channel, Conversation } from "@factotum/channel-contract";
import { mailSource } from "@factotum/testing-channels";
import type { MailSource, SentMail } from "@factotum/testing-channels";

/** Who is on a server. */
export interface MailPeople {
  /** The channel's own address. */
  readonly address: string;
  readonly person: string;
  /** Nobody has it. */
  readonly unknown: string;
}

const START_MS = 1_767_225_600_000;

/** What all servers of mail share for the conformance suite: events are mails of one person, and threads are named by their first mail. */
export abstract class MailPlatform implements ConformancePlatform {
  readonly transport = "connection";
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: false,
    massMention: "",
    files: true,
    absent: ["groups"],
  };
  readonly people: MailPeople;
  abstract readonly secrets: readonly string[];
  #gateway: ConformanceGateway | undefined;
  #events = 0;

  protected constructor(people: MailPeople) {
    this.people = people;
  }

  /** Puts a mail into the channel's folder, or that of somebody else; resolves once it is there. */
  protected abstract put(source: Buffer, options: { readonly isOurs: boolean; readonly atMs: number }): Promise<void>;

  /** What was sent, oldest first. */
  protected abstract get sent(): readonly SentMail[];

  abstract disconnect(): void;
  abstract connected(count: number): Promise<void>;
  abstract get openConnections(): number;
  abstract get sendRequests(): number;
  abstract sendRequested(count: number): Promise<void>;
  abstract failNextSend(fault: SendFault): void;
  abstract release(): void;
  abstract shutDown(): Promise<void>;
  abstract [Symbol.asyncDispose](): Promise<void>;

  /** Headers that the receiving server adds, where the test has to. */
  protected get trace(): readonly string[] {
    return [];
  }

  observe(gateway: ConformanceGateway): void {
    this.#gateway = gateway;
  }

  event(message: TestMessage): TestEvent {
    const { person, address } = this.people;
    this.#events += 1;
    const id = `<event-${this.#events}.${person}>`;
    const earlier = `<earlier.${person}>`;
    const references = message.isReply === true ? [earlier] : message.conversation === "thread" ? [this.#root] : [];
    const atMs = START_MS + this.#events * 1_000;
    const raw = {
      from: `Alice <${person}>`,
      to: address,
      messageId: id,
      references,
      text: message.text,
      files: message.files ?? [],
      atMs,
      trace: this.trace,
    } satisfies MailSource;
    const conversation: Conversation = { kind: "direct", id: person, threadId: references[0] ?? id };
    const expected = { eventId: id, messageId: id, conversation, senderId: person, timestampMs: atMs };
    return { raw, expected: { ...expected, ...(message.isReply === true && { replyTo: earlier }) } };
  }

  happening(what: string): TestHappeningEvent {
    throw new Error(`the channel passes on no ${what}`);
  }

  async deliver(_channel: Channel, { raw }: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const mail = raw as MailSource & { readonly atMs: number };
    const { atMs, messageId } = mail;
    if (fault === "other-account") await this.put(mailSource(mail), { isOurs: false, atMs });
    else if (fault !== undefined)
      await this.put(mailSource({ ...mail, headers: ["Auto-Submitted: auto-replied"] }), { isOurs: true, atMs });
    if (fault !== undefined) return this.#behind();
    const passed = this.#observed.passedOn(messageId);
    await this.put(mailSource(mail), { isOurs: true, atMs });
    return (await passed) === "failed" ? "unacknowledged" : "acknowledged";
  }

  async deliverBytes(_channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    await this.put(Buffer.from(bytes), { isOurs: true, atMs: START_MS });
    return this.#behind();
  }

  handshake(): Promise<boolean> {
    return Promise.reject(new Error("mail checks no addresses"));
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "unknown") return { kind: "direct", id: this.people.unknown };
    return { kind: "direct", id: this.people.person, ...(kind === "thread" && { threadId: this.#root }) };
  }

  get shown(): readonly ShownMessage[] {
    return this.sent.map(({ to, messageId, inReplyTo, text, files }) => ({
      messageId,
      conversationId: to,
      inThread: inReplyTo !== undefined,
      ...(inReplyTo !== undefined && { replyTo: inReplyTo }),
      text,
      deleted: false,
      reactions: [],
      ...(files[0] !== undefined && { file: files[0] }),
      files,
      notifiedAll: false,
    }));
  }

  refuseReads(): void {
    throw new Error("the channel fetches no context");
  }

  revokeTokens(): void {
    throw new Error("mail exchanges no tokens");
  }

  get #root(): string {
    return `<root.${this.people.person}>`;
  }

  get #observed(): ConformanceGateway {
    if (this.#gateway === undefined) throw new Error("no gateway");
    return this.#gateway;
  }

  /** Waits for a mail behind, since the folder is read in order. */
  async #behind(): Promise<DeliveryAnswer> {
    const marker = this.event({ text: "behind", conversation: "direct", sender: "person" });
    const { eventId, timestampMs } = marker.expected;
    this.#observed.disregard(eventId);
    const passed = this.#observed.passedOn(eventId);
    await this.put(mailSource(marker.raw as MailSource), { isOurs: true, atMs: timestampMs });
    return (await passed) === "failed" ? "unacknowledged" : "acknowledged";
  }
}
