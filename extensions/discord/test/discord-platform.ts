import type {
  ConformanceGateway,
  ConformancePlatform,
  DeliveryAnswer,
  DeliveryFault,
  SendFault,
  ShownMessage,
  TestEvent,
  TestHappening,
  TestHappeningEvent,
  TestMessage,
  TestPress,
} from "@factotum/channel-conformance";
import { messageId } from "@factotum/channel-contract";
import type { Channel, Conversation, InboundEvent, Outbound } from "@factotum/channel-contract";
import { FakeDiscord } from "@factotum/testing-channels";
import type { DiscordFault, DiscordFrame, DiscordMessage } from "@factotum/testing-channels";

const ALICE = "100000000000000001";
const BOB = "100000000000000002";
const OTHER_BOT = "100000000000000003";
const DIRECT = "500000000000000001";
const CHANNEL = "600000000000000001";
const THREAD = "700000000000000001";
const MARKER = "199999999999999999";

/** What is delivered: an event of the gateway, or something that the channel sends itself and the event about it. */
interface Raw {
  readonly outbound?: Outbound;
  readonly name?: string;
  /** Evaluated once, when it is first delivered. */
  readonly data?: () => unknown;
  /** Set once the event has a number, and for an event that keeps its number when it is delivered again. */
  frame?: DiscordFrame;
  readonly keepsNumber?: boolean;
  /** The key of what the channel passes on; `undefined` for what it does not. */
  readonly eventId?: () => string;
  readonly isIgnored?: boolean;
}

/** Discord for the conformance suite: the fake server behind the suite's interface. */
export class DiscordPlatform implements ConformancePlatform {
  readonly discord: FakeDiscord;
  readonly transport = "connection";
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: true,
    massMention: "@everyone",
    files: true,
  };
  readonly directory: NonNullable<ConformancePlatform["directory"]> = {
    person: { id: ALICE, name: "Alice" },
    group: { id: CHANNEL, name: "general" },
  };
  #gateway: ConformanceGateway | undefined;
  #markers = 0;

  private constructor(discord: FakeDiscord) {
    this.discord = discord;
  }

  static async start(): Promise<DiscordPlatform> {
    const discord = await FakeDiscord.start();
    discord.app.users.set(OTHER_BOT, { id: OTHER_BOT, username: "other", isBot: true });
    return new DiscordPlatform(discord);
  }

  get secrets(): readonly string[] {
    return [this.discord.app.token, "aW50ZXJhY3Rpb24"];
  }

  observe(gateway: ConformanceGateway): void {
    this.#gateway = gateway;
  }

  event(message: TestMessage): TestEvent {
    const { discord } = this;
    const channelId = { direct: DIRECT, group: CHANNEL, thread: THREAD }[message.conversation];
    const authorId = { person: ALICE, self: discord.app.bot.id, "other-bot": OTHER_BOT }[message.sender];
    const marks = [
      ...(message.mentionsBot === true ? [`<@${discord.app.bot.id}>`] : []),
      ...(message.mentionsBob === true ? [`<@${BOB}>`] : []),
    ];
    const answered =
      message.isReply === true ? discord.addMessage({ channelId, authorId: BOB, content: "An earlier message" }).id : undefined;
    const added = discord.addMessage({
      channelId,
      authorId,
      content: [message.text, ...marks].filter((part) => part !== "").join(" "),
      files: (message.files ?? []).map(({ name, bytes }) => discord.addFile({ name, bytes, mimeType: "text/plain" })),
      ...(answered !== undefined && { replyTo: answered }),
    });
    // Without the answered message, as the platform sends it when it has not looked for it.
    const data = discord.messageData(added, { withAnswered: false });
    const raw: Raw = { name: "MESSAGE_CREATE", data: () => data, eventId: () => added.id, isIgnored: message.sender === "self" };
    return {
      raw,
      expected: {
        eventId: added.id,
        messageId: added.id,
        conversation: this.target(message.conversation),
        senderId: authorId,
        timestampMs: added.atMs,
        ...(answered !== undefined && { replyTo: answered }),
        context: { senderName: "Alice", subject: "#general", ...(answered !== undefined && { quoted: "An earlier message" }) },
      },
    };
  }

  happening(what: TestHappening): TestHappeningEvent {
    const { discord } = this;
    const before = this.event({ text: "before", conversation: "group", sender: "person" });
    const target = discord.store.messages.at(-1);
    if (target === undefined) throw new Error("there is no message");
    const targetId = messageId(target.id);
    const editedAtMs = target.atMs + 1_000;
    const of = (raw: Raw, expected: InboundEvent, timestampMs = 0): TestHappeningEvent => ({
      before,
      event: { raw, expected: { ...before.expected, timestampMs } },
      expected,
      ...(what === "edit" && { text: "after" }),
    });
    switch (what) {
      case "edit": {
        const edited: DiscordMessage = { ...target, content: "after", editedAtMs };
        const eventId = `edit/${target.id}/${new Date(editedAtMs).toISOString().slice(0, -1)}000+00:00`;
        return of(
          { name: "MESSAGE_UPDATE", data: () => discord.messageData(edited), eventId: () => eventId },
          { type: "edit", targetId },
          editedAtMs,
        );
      }
      case "delete":
        return of(
          { name: "MESSAGE_DELETE", data: () => discord.deleteData(target), eventId: () => `delete/${target.id}` },
          { type: "delete", targetId },
        );
      case "reaction":
      case "reaction-taken-back": {
        const removed = what === "reaction-taken-back";
        const data = discord.reactionData(target, { userId: ALICE, emoji: "👍" });
        return of(
          { name: removed ? "MESSAGE_REACTION_REMOVE" : "MESSAGE_REACTION_ADD", data: () => data, keepsNumber: true },
          { type: "reaction", targetId, emoji: "👍", removed, isOnOwnMessage: false },
        );
      }
      case "press":
        return this.#ownMessage(
          before,
          { type: "card", card: { body: "A card", buttons: [{ actionId: "approve", label: "Approve", value: "yes", style: "default" }] } },
          (sent) => this.#pressed(sent, sent.buttons[0]?.[0]?.custom_id ?? ""),
          (id) => ({ type: "action", actionId: "approve", value: "yes", targetId: id }),
        );
      case "vote":
        return this.#ownMessage(
          before,
          { type: "poll", poll: { question: "Tea?", options: ["Green", "Black"], multiple: true } },
          (sent) => ({
            name: "MESSAGE_POLL_VOTE_ADD",
            data: () => discord.voteData(sent, { userId: ALICE, answer: 2 }),
            keepsNumber: true,
          }),
          (id) => ({ type: "vote", targetId: id, options: ["Black"] }),
        );
      case "joined":
      case "left":
      case "bot-joined":
      case "receipt":
        throw new Error(`Discord's channel passes on no ${what}`);
    }
  }

  async deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const raw = event.raw as Raw;
    if (raw.outbound !== undefined) {
      const target = { channel: "discord", accountId: "second", conversation: this.target("group") };
      const receipt = await channel.send(target, raw.outbound, { signal: AbortSignal.timeout(60_000), idempotencyKey: "own" });
      return receipt.type === "accepted" ? "acknowledged" : "unacknowledged";
    }
    if (options.fault === "unknown-kind") return this.#deliver({ name: "SOMETHING_NEW", data: () => ({ odd: true }), isIgnored: true });
    if (options.fault === "other-account") {
      const interaction = this.#interaction(2, { name: "status", type: 1 });
      return this.#deliver({ name: "INTERACTION_CREATE", data: () => ({ ...interaction, application_id: "1" }), isIgnored: true });
    }
    return this.#deliver(raw);
  }

  async press(_channel: Channel, { messageId: id, label, inputs }: TestPress): Promise<DeliveryAnswer> {
    const message = this.discord.sent.find((one) => one.id === id);
    const button = message?.buttons.flat().find((one) => one.label === label);
    if (message === undefined || button === undefined) throw new Error(`there is no button "${label}" at ${id}`);
    const pressed = this.#pressed(message, button.custom_id);
    if (inputs === undefined) return this.#deliver(pressed);
    // The press opens a dialog, which the person fills in.
    const data = pressed.data?.() as { readonly id: string };
    this.discord.gateway.dispatch("INTERACTION_CREATE", data);
    await this.discord.request(({ path }) => path.includes(`/interactions/${data.id}/`));
    const filled = filledIn(this.discord.interactions.answerOf(data.id)?.data, inputs);
    const submit = this.#interaction(5, filled, message);
    return this.#deliver({ name: "INTERACTION_CREATE", data: () => submit, eventId: () => `interaction/${submit.id}` });
  }

  command({ name, argumentsText }: { readonly name: string; readonly argumentsText: string }): TestEvent {
    const option = { type: 3, name: "arguments", value: argumentsText };
    const interaction = this.#interaction(2, { id: "1", name, type: 1, options: argumentsText === "" ? [] : [option] });
    const eventId = `interaction/${interaction.id}`;
    const raw: Raw = { name: "INTERACTION_CREATE", data: () => interaction, eventId: () => eventId };
    return {
      raw,
      expected: { eventId, messageId: eventId, conversation: this.target("direct"), senderId: ALICE, timestampMs: 0 },
    };
  }

  typing(): readonly string[] {
    return this.discord.typing;
  }

  menu(): readonly string[] {
    return this.discord.app.commands.map(({ name }) => name);
  }

  async menuSet(count: number): Promise<void> {
    const sets = (): number => this.discord.requests.filter(({ method, path }) => method === "PUT" && path.endsWith("/commands")).length;
    if (sets() < count) await this.discord.request(() => sets() >= count);
    // The fake answers after it has recorded the request.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async deliverBytes(_channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    this.discord.gateway.sendGarbage(bytes);
    await this.#passMarker();
    return "refused";
  }

  handshake(): Promise<boolean> {
    return Promise.reject(new Error("Discord's channel has no webhook"));
  }

  disconnect(): void {
    this.discord.gateway.drop();
  }

  connected(count: number): Promise<void> {
    return this.discord.gateway.connected(count);
  }

  get openConnections(): number {
    return this.discord.gateway.open;
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    const spaceId = this.discord.app.guild.id;
    if (kind === "direct") return { kind: "direct", id: DIRECT };
    if (kind === "unknown") return { kind: "channel", id: "600000000000000999", spaceId };
    return { kind: "channel", id: CHANNEL, ...(kind === "thread" && { threadId: THREAD }), spaceId };
  }

  get shown(): readonly ShownMessage[] {
    return this.discord.sent.map((message) => this.#show(message));
  }

  get sendRequests(): number {
    return this.#sends.length;
  }

  async sendRequested(count: number): Promise<void> {
    if (this.#sends.length < count) await this.discord.request(() => this.#sends.length >= count);
  }

  failNextSend(fault: SendFault): void {
    this.discord.failNext(faultOf(fault));
  }

  refuseReads(): void {
    this.discord.app.refusesReads = true;
    this.discord.app.readsContent = false;
  }

  release(): void {
    this.discord.release();
  }

  keep(event: TestEvent): void {
    const raw = event.raw as Raw;
    this.discord.gateway.dispatch(raw.name ?? "", raw.data?.());
  }

  async shutDown(): Promise<void> {
    await this.discord[Symbol.asyncDispose]();
    // The client learns of its closed idle connections: a request on one of them would be ambiguous.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  revokeTokens(): void {
    throw new Error("tokens of this platform are not renewed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.discord[Symbol.asyncDispose]();
  }

  get #sends(): readonly object[] {
    return this.discord.requests.filter(({ isChange }) => isChange);
  }

  /** An event about a message that the channel sends first. */
  #ownMessage(
    before: TestEvent,
    outbound: Outbound,
    rawOf: (sent: DiscordMessage) => Raw,
    expectedOf: (id: ReturnType<typeof messageId>) => InboundEvent,
  ): TestHappeningEvent {
    const { discord } = this;
    const lazy: { raw?: Raw } = {};
    const raw = (): Raw => {
      const sent = discord.sent.at(-1);
      if (sent === undefined) throw new Error("nothing was sent");
      lazy.raw ??= rawOf(sent);
      return lazy.raw;
    };
    const event: TestEvent = {
      get raw() {
        return raw();
      },
      expected: {
        ...before.expected,
        get timestampMs() {
          const data = raw().data?.() as { readonly id?: string };
          return data.id === undefined ? 0 : Number(BigInt(data.id) >> 22n) + 1_420_070_400_000;
        },
      },
    };
    return {
      before: { raw: { outbound } satisfies Raw, expected: before.expected },
      event,
      get expected() {
        return expectedOf(messageId(discord.sent.at(-1)?.id ?? ""));
      },
    };
  }

  #pressed(message: DiscordMessage, customId: string): Raw {
    const interaction = this.#interaction(3, { component_type: 2, custom_id: customId }, message);
    return { name: "INTERACTION_CREATE", data: () => interaction, eventId: () => `interaction/${interaction.id}` };
  }

  #interaction(type: number, data: Readonly<Record<string, unknown>>, message?: DiscordMessage): { readonly id: string } {
    const channelId = message?.channelId ?? DIRECT;
    return this.discord.interactions.create({ type, userId: ALICE, channelId, data, ...(message !== undefined && { message }) });
  }

  async #deliver(raw: Raw): Promise<DeliveryAnswer> {
    const { gateway } = this.discord;
    if (raw.isIgnored === true) {
      gateway.dispatch(raw.name ?? "", raw.data?.());
      await this.#passMarker();
      return "acknowledged";
    }
    if (raw.frame !== undefined && raw.keepsNumber === true) {
      gateway.repeat(raw.frame);
      await this.#passMarker();
      return "acknowledged";
    }
    if (raw.keepsNumber === true) {
      raw.frame = gateway.dispatch(raw.name ?? "", raw.data?.());
      await this.#passMarker();
      return "acknowledged";
    }
    const answer = this.#gateway?.passedOn(raw.eventId?.() ?? "");
    raw.frame = gateway.dispatch(raw.name ?? "", raw.data?.());
    return (await answer) === "failed" ? "unacknowledged" : "acknowledged";
  }

  /** Events are passed on in order: once this one has arrived, so have those before it. */
  async #passMarker(): Promise<void> {
    this.#markers += 1;
    const marker = this.discord.addMessage({ channelId: DIRECT, authorId: MARKER, content: `marker ${this.#markers}` });
    this.#gateway?.disregard(marker.id);
    const passed = this.#gateway?.passedOn(marker.id);
    this.discord.gateway.dispatch("MESSAGE_CREATE", this.discord.messageData(marker));
    await passed;
  }

  #show(message: DiscordMessage): ShownMessage {
    const { app } = this.discord;
    const { id, channelId, content, files, replyTo, buttons, poll, reactions, flags, allowedMentions } = message;
    const channel = app.channels.get(channelId);
    const [file] = files;
    const parse = (allowedMentions as { readonly parse?: readonly string[] } | undefined)?.parse ?? ["everyone"];
    return {
      messageId: id,
      conversationId: channel?.parentId ?? channelId,
      inThread: channel?.type === 11,
      ...(replyTo !== undefined && { replyTo }),
      text: content,
      deleted: message.deleted,
      reactions: [...reactions.keys()],
      notifiedAll: /@everyone|@here/.test(content) && parse.includes("everyone"),
      ...(file !== undefined && { file: { name: file.name, bytes: file.bytes } }),
      ...(files.length > 1 && { files: files.map(({ name, bytes }) => ({ name, bytes })) }),
      ...(poll !== undefined && { poll: { question: poll.question, options: poll.answers, multiple: poll.multiple } }),
      card: { text: content, buttons: buttons.flat().map(({ label }) => label), inputs: [] },
      silent: (flags & (1 << 12)) !== 0,
      pinned: message.pinned,
    };
  }
}

/** The dialog as a person fills it in, by its labels: the ids of its inputs are numbers. */
function filledIn(
  modal: Readonly<Record<string, unknown>> | undefined,
  inputs: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const components = (modal?.["components"] ?? []) as readonly {
    readonly label: string;
    readonly component: {
      readonly type: number;
      readonly custom_id: string;
      readonly options?: readonly { readonly label: string; readonly value: string }[];
    };
  }[];
  const valueOf = (label: string): string => Object.entries(inputs).find(([id]) => id.toLowerCase() === label.toLowerCase())?.[1] ?? "";
  return {
    custom_id: modal?.["custom_id"],
    components: components.map(({ label, component: { type, custom_id: id, options = [] } }) => {
      const written = valueOf(label);
      const chosen = options.filter((option) => option.label.toLowerCase() === written.toLowerCase()).map(({ value }) => value);
      return { type: 18, component: { type, custom_id: id, ...(type === 4 ? { value: written } : { values: chosen }) } };
    }),
  };
}

function faultOf(fault: SendFault): DiscordFault {
  switch (fault.type) {
    case "rate-limited":
      return { type: "rate-limit", seconds: fault.delayMs / 1_000 };
    case "server-error":
      return { type: "http", status: 500 };
    case "forbidden":
      return { type: "refuse", status: 403, code: 50_013, message: "Missing Permissions" };
    case "answer-lost":
      return { type: "accept-then-drop" };
    case "answer-unreadable":
      return { type: "accept-then-garbage" };
    case "held":
      return { type: "hold" };
  }
}
