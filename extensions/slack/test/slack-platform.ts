import { messageId } from "@factotum/channel-contract";
import type { Channel, Conversation, InboundEvent } from "@factotum/channel-contract";
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
  TestPress,
} from "@factotum/channel-conformance";
import {
  asSlackMessage,
  FakeSlack,
  slackCommand,
  slackEventBody,
  slackEventRequest,
  slackFormRequest,
  slackMessageEvent,
  slackPress,
  slackRichText,
} from "@factotum/testing-channels";
import type { SlackEventBody, SlackFault, SlackMessage, SlackRequestOptions } from "@factotum/testing-channels";
import { inputState, pressedButton, shownCard } from "./shown-card.ts";
import { shownEmoji } from "./shown-emoji.ts";

const WEBHOOK_URL = "http://127.0.0.1/channels/slack/second";
const DAY_MS = 24 * 60 * 60_000;
const CHANGES = /^\/api\/(?:chat\.\w+|reactions\.(?:add|remove)|files\.(?:completeUploadExternal|delete))$/;

/** A delivery of the platform: an event, an interaction, or a slash command. */
type Raw =
  | { readonly type: "event"; readonly body: SlackEventBody }
  | { readonly type: "interaction"; readonly payload: object }
  | { readonly type: "command"; readonly fields: Readonly<Record<string, string>> };

/** Slack for the conformance suite: the fake server behind the suite's interface. */
export class SlackPlatform implements ConformancePlatform {
  readonly slack: FakeSlack;
  readonly transport: "webhook" | "connection";
  readonly features: ConformancePlatform["features"] = {
    handshake: true,
    renewableToken: false,
    otherBots: true,
    massMention: "<!channel> @channel @here",
    files: true,
    // Its commands are part of the manifest of the app.
    absent: ["replies", "menu"],
  };
  readonly directory: NonNullable<ConformancePlatform["directory"]> = {
    person: { id: "U0ALICE", name: "Alice" },
    group: { id: "C0GENERAL", name: "general" },
  };
  #threadRoot: SlackMessage | undefined;

  private constructor(slack: FakeSlack, transport: "webhook" | "connection") {
    this.slack = slack;
    this.transport = transport;
  }

  static async start(transport: "webhook" | "connection"): Promise<SlackPlatform> {
    return new SlackPlatform(await FakeSlack.start({ ackTimeoutMs: 1_500 }), transport);
  }

  get secrets(): readonly string[] {
    const { botToken, appToken, signingSecret } = this.slack.app;
    return [botToken, appToken, signingSecret, "Bearer ", "ticket="];
  }

  event(message: TestMessage): TestEvent {
    const { app } = this.slack;
    const inThread = message.conversation === "thread";
    const mentions = [
      ...(message.mentionsBob === true ? [{ type: "user", user_id: "U0BOB" }] : []),
      ...(message.mentionsBot === true ? [{ type: "user", user_id: app.bot.userId }] : []),
    ];
    const files = (message.files ?? []).map(({ name, bytes }) => this.slack.addFile({ name, bytes, mimeType: "text/plain" }));
    const text = mentions.length === 0 ? message.text : `${message.text} `;
    const added = this.slack.addMessage({
      channel: message.conversation === "direct" ? "D0ALICE" : "C0GENERAL",
      user: { person: "U0ALICE", self: app.bot.userId, "other-bot": "U0OTHERBOT" }[message.sender],
      isOwn: message.sender === "self",
      ...slackRichText(text, mentions),
      ...(inThread && { threadTs: this.#root() }),
      files,
    });
    const event = slackMessageEvent(app, added, message.sender === "other-bot" ? { bot_id: "B0OTHERBOT" } : {});
    const body = slackEventBody(app, event);
    return {
      raw: { type: "event", body } satisfies Raw,
      expected: {
        eventId: body.event_id,
        messageId: added.ts,
        conversation: this.target(message.conversation),
        senderId: "U0ALICE",
        timestampMs: Math.floor(Number(added.ts) * 1_000),
        context: { senderName: "Alice", subject: "#general" },
      },
    };
  }

  happening(what: TestHappening): TestHappeningEvent {
    const { app } = this.slack;
    const before = this.event({ text: "before", conversation: "group", sender: "person" });
    const target = this.slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", text: "The target" });
    if (what === "press") return this.#press(before);
    const eventTs = `${Math.floor(app.now() / 1_000)}.900000`;
    const {
      event,
      expected,
      senderId = "U0ALICE",
    } = happeningOf(what, { target, eventTs, botId: app.bot.userId, shown: asSlackMessage(app, target) });
    const body = slackEventBody(app, { ...event, event_ts: eventTs });
    const facts = { eventId: body.event_id, messageId: target.ts, timestampMs: Math.floor(Number(eventTs) * 1_000) };
    return {
      before,
      event: { raw: { type: "event", body } satisfies Raw, expected: { ...before.expected, ...facts, senderId } },
      expected,
      ...(what === "edit" && { text: "after" }),
    };
  }

  async deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const raw = withFault(event.raw as Raw, options.fault);
    return this.#deliver(channel, raw, options.fault);
  }

  async press(channel: Channel, { messageId: ts, label, inputs = {} }: TestPress): Promise<DeliveryAnswer> {
    const { app, responseUrl } = this.slack;
    const message = this.slack.sent.find((one) => one.ts === ts);
    if (message === undefined) throw new Error(`there is no message ${ts}`);
    const button = pressedButton(message.blocks, label);
    const payload = slackPress(app, { message, user: "U0ALICE", responseUrl, button, inputs: inputState(message.blocks, inputs) });
    return this.#deliver(channel, { type: "interaction", payload }, undefined);
  }

  command({ name, argumentsText }: { readonly name: string; readonly argumentsText: string }): TestEvent {
    const { app, responseUrl } = this.slack;
    const fields = slackCommand(app, { command: `/${name}`, text: argumentsText, channel: "D0ALICE", user: "U0ALICE", responseUrl });
    const id = `command/${fields["trigger_id"] ?? ""}`;
    const expected = { eventId: id, messageId: id, conversation: this.target("direct"), senderId: "U0ALICE", timestampMs: 0 };
    return { raw: { type: "command", fields } satisfies Raw, expected };
  }

  commandOrText(text: string): TestEvent {
    return this.command({ name: "factotum", argumentsText: text });
  }

  async deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    if (this.transport === "webhook") return this.#post(channel, new Request(WEBHOOK_URL, { method: "POST", body: new Uint8Array(bytes) }));
    this.slack.socketMode.sendGarbage(bytes);
    return "refused";
  }

  async handshake(channel: Channel, { token }: { readonly token: "right" | "wrong" }): Promise<boolean> {
    const payload = { token: "deprecated", challenge: "the-challenge", type: "url_verification" };
    const request = slackEventRequest(this.slack.app, WEBHOOK_URL, payload, { signature: token });
    const response = await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) });
    return response.status === 200 && ((await response.json()) as { challenge?: unknown }).challenge === "the-challenge";
  }

  disconnect(): void {
    this.slack.socketMode.drop();
  }

  connected(count: number): Promise<void> {
    return this.slack.socketMode.connected(count);
  }

  get openConnections(): number {
    return this.slack.socketMode.open;
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: "D0ALICE" };
    if (kind === "unknown") return { kind: "channel", id: "C0NOWHERE" };
    return { kind: "channel", id: "C0GENERAL", ...(kind === "thread" && { threadId: this.#root() }) };
  }

  get shown(): readonly ShownMessage[] {
    return this.slack.sent
      .filter(({ user, isOwn }) => isOwn && user === this.slack.app.bot.userId)
      .map((message) => {
        const [file] = message.files;
        const source = sourceOf(message);
        return {
          messageId: message.ts,
          conversationId: message.channel,
          inThread: message.threadTs !== undefined,
          text: source.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
          deleted: message.deleted,
          reactions: message.reactions.map(({ name }) => shownEmoji(name)),
          ...(file !== undefined && { file: { name: file.name, bytes: file.bytes } }),
          ...(message.files.length > 1 && { files: message.files.map(({ name, bytes }) => ({ name, bytes })) }),
          ...shownCard(message.blocks),
          ...(message.ephemeralFor !== undefined && { onlyFor: message.ephemeralFor }),
          pinned: message.pinned,
          isGrowing: message.stream === "open",
          // With `parse: none`, as it is sent, names alone notify nobody; they must not stand there all the same.
          notifiedAll: /<!(?:channel|here|everyone)|@(?:channel|here|everyone)\b/.test(source),
        };
      });
  }

  get sendRequests(): number {
    return this.#sends.length;
  }

  async sendRequested(count: number): Promise<void> {
    await this.slack.request(() => this.#sends.length >= count);
  }

  failNextSend(fault: SendFault): void {
    this.slack.failNext(faultOf(fault));
  }

  refuseReads(): void {
    for (const scope of this.slack.app.scopes) if (/(?:read|history)$/.test(scope)) this.slack.app.scopes.delete(scope);
  }

  release(): void {
    this.slack.release();
  }

  async shutDown(): Promise<void> {
    await this.slack[Symbol.asyncDispose]();
    // The client learns of its closed idle connections: a request on one of them would be ambiguous.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  revokeTokens(): void {
    throw new Error("tokens of this platform are not renewed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.slack[Symbol.asyncDispose]();
  }

  get #sends(): readonly object[] {
    return this.slack.requests.filter(({ path }) => CHANGES.test(path));
  }

  #press(before: TestEvent): TestHappeningEvent {
    const { app, responseUrl } = this.slack;
    const message = this.slack.addMessage({ channel: "C0GENERAL", user: app.bot.userId, text: "A card" });
    const button = { actionId: "b0:approve", label: "Approve", value: "yes" };
    const payload = slackPress(app, { message, user: "U0ALICE", responseUrl, button });
    const [{ action_ts: actionTs }] = payload["actions"] as [{ action_ts: string }];
    return {
      before,
      event: {
        raw: { type: "interaction", payload } satisfies Raw,
        expected: {
          ...before.expected,
          eventId: `press/${String(payload["trigger_id"])}`,
          messageId: `press/${String(payload["trigger_id"])}`,
          timestampMs: Math.floor(Number(actionTs) * 1_000),
        },
      },
      expected: { type: "action", actionId: "approve", value: "yes", targetId: messageId(message.ts) },
    };
  }

  /** The first message of the thread, once there is one. */
  #root(): string {
    this.#threadRoot ??= this.slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", text: "An earlier message" });
    return this.#threadRoot.ts;
  }

  async #deliver(channel: Channel, raw: Raw, fault: DeliveryFault | undefined): Promise<DeliveryAnswer> {
    const { app, socketMode } = this.slack;
    const faults = spoiled(fault, app.now());
    switch (raw.type) {
      case "event":
        if (this.transport === "connection") return socketMode.deliver("events_api", raw.body);
        return this.#post(channel, slackEventRequest(app, WEBHOOK_URL, raw.body, faults));
      case "interaction":
        if (this.transport === "connection") return socketMode.deliver("interactive", raw.payload);
        return this.#post(channel, slackFormRequest(app, WEBHOOK_URL, { payload: JSON.stringify(raw.payload) }, faults));
      case "command":
        if (this.transport === "connection") return socketMode.deliver("slash_commands", raw.fields);
        return this.#post(channel, slackFormRequest(app, WEBHOOK_URL, raw.fields, faults));
    }
  }

  async #post(channel: Channel, request: Request): Promise<DeliveryAnswer> {
    const { status } = await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) });
    if (status === 200) return "acknowledged";
    return status >= 500 ? "unacknowledged" : "refused";
  }
}

/** What people read: the text, or the sections of the blocks. */
function sourceOf({ text, blocks }: SlackMessage): string {
  if (blocks.length === 0) return text;
  return (blocks as readonly { readonly text?: { readonly text: string } }[]).map((block) => block.text?.text ?? "").join("\n");
}

function withFault(raw: Raw, fault: DeliveryFault | undefined): Raw {
  if (raw.type !== "event") return raw;
  if (fault === "other-account")
    return { type: "event", body: { ...raw.body, team_id: "T0OTHER", authorizations: [{ team_id: "T0OTHER", is_bot: true }] } };
  if (fault === "unknown-kind") return { type: "event", body: { ...raw.body, event: { type: "something_new", odd: true } } };
  return raw;
}

function spoiled(fault: DeliveryFault | undefined, nowMs: number): SlackRequestOptions {
  switch (fault) {
    case "signature-missing":
      return { signature: "missing" };
    case "signature-wrong":
      return { signature: "wrong" };
    case "tampered":
      return { tamper: (body) => body.replace("event_callback", "event_callbacl") };
    case "stale":
      return { timestampMs: nowMs - DAY_MS };
    case "early":
      return { timestampMs: nowMs + DAY_MS };
    case "other-account":
    case "unknown-kind":
    case undefined:
      return {};
  }
}

function faultOf(fault: SendFault): SlackFault {
  switch (fault.type) {
    case "rate-limited":
      return { type: "rate-limit", seconds: fault.delayMs / 1_000 };
    case "server-error":
      return { type: "http", status: 500 };
    case "forbidden":
      return { type: "refuse", error: "not_in_channel" };
    case "answer-lost":
      return { type: "accept-then-drop" };
    case "answer-unreadable":
      return { type: "accept-then-garbage" };
    case "held":
      return { type: "hold" };
  }
}

interface HappeningFacts {
  readonly target: SlackMessage;
  readonly eventTs: string;
  readonly botId: string;
  readonly shown: object;
}

/** An event of the channel, in the platform's form and as it is passed on. */
function happeningOf(
  what: TestHappening,
  { target, eventTs, botId, shown }: HappeningFacts,
): { readonly event: Readonly<Record<string, unknown>>; readonly expected: InboundEvent; readonly senderId?: string } {
  const targetId = messageId(target.ts);
  const channel = target.channel;
  const item = { type: "message", channel, ts: target.ts };
  const change = { type: "message", channel, channel_type: "channel", hidden: true, ts: eventTs };
  const member = { channel, channel_type: "C", team: "T0TEAM" };
  switch (what) {
    case "reaction":
    case "reaction-taken-back": {
      const removed = what === "reaction-taken-back";
      return {
        event: { type: removed ? "reaction_removed" : "reaction_added", user: "U0ALICE", reaction: "+1", item, item_user: "U0ALICE" },
        expected: { type: "reaction", targetId, emoji: "👍", removed, isOnOwnMessage: false },
      };
    }
    case "edit": {
      const message = { ...shown, ...slackRichText("after"), edited: { user: "U0ALICE", ts: eventTs } };
      return { event: { ...change, subtype: "message_changed", message, previous_message: shown }, expected: { type: "edit", targetId } };
    }
    case "delete":
      return {
        event: { ...change, subtype: "message_deleted", deleted_ts: target.ts, previous_message: shown },
        expected: { type: "delete", targetId },
      };
    case "joined":
      return {
        event: { ...member, type: "member_joined_channel", user: "U0BOB", inviter: "U0ALICE" },
        expected: { type: "member", change: "joined", member: { id: "U0BOB", name: "Bob", isSelf: false } },
      };
    case "left":
      // The platform does not report who removed a member.
      return {
        event: { ...member, type: "member_left_channel", user: "U0BOB" },
        expected: { type: "member", change: "left", member: { id: "U0BOB", name: "Bob", isSelf: false } },
        senderId: "U0BOB",
      };
    case "bot-joined":
      return {
        event: { ...member, type: "member_joined_channel", user: botId, inviter: "U0ALICE" },
        expected: { type: "member", change: "joined", member: { id: botId, name: "factotum", isSelf: true } },
      };
    default:
      throw new Error(`Slack's channel passes on no ${what}`);
  }
}
