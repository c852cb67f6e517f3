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
import type { Channel, Conversation } from "@factotum/channel-contract";
import { FakeIrc } from "@factotum/testing-channels";
import type { FakeIrcOptions, IrcFault, IrcUser } from "@factotum/testing-channels";

const ROOM = "#room";
const PASSWORD = "sasl-secret";
const SERVER_PASSWORD = "server-secret";

interface RawEvent {
  readonly from: "person" | "self" | "other-bot" | "guest";
  readonly target: string;
  readonly text: string;
  readonly id: string;
  readonly atMs: number;
}

/** An IRC network for the conformance suite: the fake server behind the suite's interface. */
export class IrcPlatform implements ConformancePlatform {
  readonly transport = "connection";
  readonly directory = { person: { id: "nick:bob", name: "Bob" }, group: { id: ROOM, name: ROOM } };
  readonly features: ConformancePlatform["features"];
  readonly secrets: readonly string[] = [PASSWORD, SERVER_PASSWORD];
  readonly fake: FakeIrc;
  readonly nick = "factotum";
  readonly account: { readonly account: string; readonly password: string } = { account: "factotum", password: PASSWORD };
  readonly serverPassword: string = SERVER_PASSWORD;
  readonly #alice: IrcUser;
  readonly #bot: IrcUser;
  /** Without an account. */
  readonly #guest: IrcUser;
  #events = 0;

  private constructor(fake: FakeIrc) {
    this.fake = fake;
    // A server without copies of sent messages does not tell their ids.
    const absent = fake.caps.includes("echo-message")
      ? (["replies", "line-breaks"] as const)
      : (["replies", "line-breaks", "sent-ids"] as const);
    this.features = {
      handshake: false,
      renewableToken: false,
      otherBots: true,
      unverifiedSenders: true,
      massMention: "",
      files: false,
      absent,
    };
    this.#alice = fake.addUser("Alice", { account: "Alice" });
    this.#bot = fake.addUser("otherbot", { isBot: true });
    fake.joinUser(this.#alice, ROOM);
    fake.joinUser(this.#bot, ROOM);
    this.#guest = fake.addUser("Bob");
    fake.joinUser(this.#guest, ROOM);
  }

  static async start(options: FakeIrcOptions = {}): Promise<IrcPlatform> {
    const accounts = { factotum: PASSWORD };
    // The suite sends more than any network permits; the limit has a test of its own.
    const flood = { penaltyMs: 1, maxMs: 10_000 };
    return new IrcPlatform(await FakeIrc.start({ accounts, password: SERVER_PASSWORD, flood, ...options }));
  }

  get channels(): readonly string[] {
    return [ROOM];
  }

  event(message: TestMessage): TestEvent {
    this.#events += 1;
    const id = `event-${this.#events}`;
    const atMs = 1_767_225_600_000 + this.#events;
    const names = [...(message.mentionsBot === true ? [this.nick] : []), ...(message.mentionsBob === true ? ["@Bob"] : [])];
    const conversation = this.target(message.conversation);
    const raw: RawEvent = {
      from: message.isUnverified === true ? "guest" : message.sender,
      target: message.conversation === "direct" ? this.nick : ROOM,
      text: [message.text, ...names].join(" "),
      id,
      atMs,
    };
    return { raw, expected: { eventId: id, messageId: id, conversation, senderId: "account:alice", timestampMs: atMs } };
  }

  happening(what: TestHappening): TestHappeningEvent {
    throw new Error(`the channel passes on no ${what}`);
  }

  async deliver(_channel: Channel, event: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { from, target, text, id, atMs } = event.raw as RawEvent;
    const self = { mask: this.fake.clients[0]?.mask ?? "", account: "factotum", isBot: false };
    const sender = { person: this.#alice, self, "other-bot": this.#bot, guest: this.#guest }[from];
    const command = fault === "unknown-kind" ? "SOMETHING" : "PRIVMSG";
    if (fault === "other-account") this.fake.send(`:${this.#alice.mask} PRIVMSG somebody :${text}`);
    else this.fake.say(sender, target, text, { command, id, atMs });
    await this.fake.answered();
    return "acknowledged";
  }

  async deliverBytes(_channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    this.fake.sendBytes(Buffer.concat([bytes, Buffer.from("\r\n")]));
    await this.fake.answered();
    return "acknowledged";
  }

  handshake(): Promise<boolean> {
    return Promise.reject(new Error("IRC checks no addresses"));
  }

  disconnect(): void {
    this.fake.disconnect();
  }

  connected(count: number): Promise<void> {
    return this.fake.until(() => this.fake.registrations >= count);
  }

  get openConnections(): number {
    return this.fake.clients.length;
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: "account:alice" };
    return { kind: "channel", id: kind === "unknown" ? "#nowhere" : ROOM };
  }

  get shown(): readonly ShownMessage[] {
    return this.fake.messages.map(({ id, target, text }) => ({
      messageId: id,
      conversationId: target.startsWith("#") ? target : "account:alice",
      inThread: false,
      text,
      deleted: false,
      reactions: [],
      notifiedAll: false,
    }));
  }

  get sendRequests(): number {
    return this.fake.sendRequests;
  }

  sendRequested(count: number): Promise<void> {
    return this.fake.until(() => this.fake.sendRequests >= count);
  }

  failNextSend(fault: SendFault): void {
    this.fake.failNext(faultOf(fault));
  }

  refuseReads(): void {
    throw new Error("the channel fetches no context");
  }

  release(): void {
    this.fake.release();
  }

  async shutDown(): Promise<void> {
    await this.fake.shutDown();
    // The end of the connection reaches the channel through the event loop of this process.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  revokeTokens(): void {
    throw new Error("IRC exchanges no tokens");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fake[Symbol.asyncDispose]();
  }
}

function faultOf(fault: SendFault): IrcFault {
  switch (fault.type) {
    case "rate-limited":
      return { type: "numeric", code: "439", text: `Target change too fast. Please wait ${fault.delayMs / 1_000} seconds.` };
    case "server-error":
      return { type: "dropped" };
    case "forbidden":
      return { type: "numeric", code: "531", text: "You are not permitted to send private messages to this user" };
    case "answer-lost":
    case "answer-unreadable":
    case "held":
      return { type: fault.type };
  }
}
