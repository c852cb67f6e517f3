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
import { FakeMail, mailSource } from "@factotum/testing-channels";
import type { MailFault, MailSource } from "@factotum/testing-channels";
import type { EmailConfig } from "../src/index.ts";

export const ALICE = "alice@people.example";
export const AUTHSERV_ID = "mx.example.org";
const ROOT = "<root@people.example>";
const EARLIER = "<earlier@people.example>";
const START_MS = 1_767_225_600_000;

/** The header with which the receiving server proves a sender of a domain. */
export const proved = (domain: string): string => `Authentication-Results: ${AUTHSERV_ID};\r\n dmarc=pass (p=none) header.from=${domain}`;

/** A mailbox for the conformance suite: the fake servers behind the suite's interface. */
export class EmailPlatform implements ConformancePlatform {
  readonly transport = "connection";
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: false,
    massMention: "",
    files: true,
    absent: ["groups"],
  };
  readonly mail: FakeMail;
  #gateway: ConformanceGateway | undefined;
  #events = 0;

  private constructor(mail: FakeMail) {
    this.mail = mail;
  }

  static async start(): Promise<EmailPlatform> {
    return new EmailPlatform(await FakeMail.start());
  }

  get secrets(): readonly string[] {
    return [this.mail.password];
  }

  config(credential: "right" | "wrong"): EmailConfig {
    const { user, password, imapPort, smtpPort } = this.mail;
    const login = { user, password: credential === "right" ? password : "a-wrong-password" };
    return {
      address: "assistant@example.org",
      imap: { host: "127.0.0.1", port: imapPort, tls: false, ...login },
      smtp: { host: "127.0.0.1", port: smtpPort, tls: false },
      folder: "INBOX",
      senderVerification: { authservId: AUTHSERV_ID },
    };
  }

  observe(gateway: ConformanceGateway): void {
    this.#gateway = gateway;
  }

  event(message: TestMessage): TestEvent {
    const id = this.#nextId();
    const references = message.isReply === true ? [EARLIER] : message.conversation === "thread" ? [ROOT] : [];
    const atMs = START_MS + this.#events * 1_000;
    const raw = {
      from: `Alice <${ALICE}>`,
      to: "assistant@example.org",
      messageId: id,
      references,
      text: message.text,
      files: message.files ?? [],
      atMs,
      trace: [proved("people.example")],
    } satisfies MailSource;
    const conversation: Conversation = { kind: "direct", id: ALICE, threadId: references[0] ?? id };
    const expected = { eventId: id, messageId: id, conversation, senderId: ALICE, timestampMs: atMs };
    return { raw, expected: { ...expected, ...(message.isReply === true && { replyTo: EARLIER }) } };
  }

  happening(what: string): TestHappeningEvent {
    throw new Error(`the channel passes on no ${what}`);
  }

  async deliver(_channel: Channel, { raw }: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const mail = raw as MailSource & { readonly atMs: number };
    const { atMs, messageId } = mail;
    if (fault !== undefined) {
      if (fault === "other-account") this.mail.deliver(mailSource(mail), { folder: "Other", atMs });
      else this.mail.deliver(mailSource({ ...mail, headers: ["Auto-Submitted: auto-replied"] }), { atMs });
      return this.#behind();
    }
    const passed = this.#observed.passedOn(messageId);
    this.mail.deliver(mailSource(mail), { atMs });
    return (await passed) === "failed" ? "unacknowledged" : "acknowledged";
  }

  async deliverBytes(_channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    this.mail.deliver(Buffer.from(bytes));
    return this.#behind();
  }

  handshake(): Promise<boolean> {
    return Promise.reject(new Error("mail checks no addresses"));
  }

  disconnect(): void {
    this.mail.disconnect();
  }

  connected(count: number): Promise<void> {
    return this.mail.until(() => this.mail.opened >= count);
  }

  get openConnections(): number {
    return this.mail.openConnections;
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "unknown") return { kind: "direct", id: "nobody@nowhere.example" };
    return { kind: "direct", id: ALICE, ...(kind === "thread" && { threadId: ROOT }) };
  }

  get shown(): readonly ShownMessage[] {
    return this.mail.sent.map(({ to, messageId, inReplyTo, text, files }) => ({
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

  get sendRequests(): number {
    return this.mail.sendRequests;
  }

  sendRequested(count: number): Promise<void> {
    return this.mail.until(() => this.mail.sendRequests >= count);
  }

  failNextSend(fault: SendFault): void {
    this.mail.failNext(faultOf(fault));
  }

  refuseReads(): void {
    throw new Error("the channel fetches no context");
  }

  release(): void {
    this.mail.release();
  }

  async shutDown(): Promise<void> {
    await this.mail.shutDown();
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  revokeTokens(): void {
    throw new Error("mail exchanges no tokens");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mail[Symbol.asyncDispose]();
  }

  get #observed(): ConformanceGateway {
    if (this.#gateway === undefined) throw new Error("no gateway");
    return this.#gateway;
  }

  #nextId(): string {
    this.#events += 1;
    return `<event-${this.#events}@people.example>`;
  }

  /** Waits for a mail behind, since the folder is read in order. */
  async #behind(): Promise<DeliveryAnswer> {
    const marker = this.event({ text: "behind", conversation: "direct", sender: "person" });
    this.#observed.disregard(marker.expected.eventId);
    const passed = this.#observed.passedOn(marker.expected.eventId);
    this.mail.deliver(mailSource(marker.raw as MailSource));
    return (await passed) === "failed" ? "unacknowledged" : "acknowledged";
  }
}

function faultOf(fault: SendFault): MailFault {
  switch (fault.type) {
    case "rate-limited":
      return { type: "refused", status: 451, text: `4.7.1 Too many messages, try again in ${fault.delayMs / 1_000} seconds` };
    case "server-error":
      return { type: "refused", status: 451, text: "4.3.0 Error: queue file write error" };
    case "forbidden":
      return { type: "refused", status: 554, text: "5.7.1 Message refused by policy" };
    case "answer-lost":
    case "held":
      return { type: fault.type };
  }
}
