import { createHmac, randomBytes } from "node:crypto";
import type { FakeSlackApp } from "./app.ts";
import { asSlackMessage } from "./message-store.ts";
import type { SlackMessage } from "./message-store.ts";

/** The wrapper of the Events API around an event. */
export interface SlackEventBody {
  readonly token: string;
  readonly team_id: string;
  readonly api_app_id: string;
  readonly type: "event_callback";
  readonly event_id: string;
  readonly event_time: number;
  readonly authorizations: readonly object[];
  readonly event: Readonly<Record<string, unknown>>;
}

let events = 0;

/** Wraps an event. */
export function slackEventBody(
  app: FakeSlackApp,
  event: Readonly<Record<string, unknown>>,
  options: { readonly eventId?: string } = {},
): SlackEventBody {
  events += 1;
  return {
    token: "deprecated",
    team_id: app.teamId,
    api_app_id: app.appId,
    event,
    type: "event_callback",
    event_id: options.eventId ?? `Ev${String(events).padStart(8, "0")}`,
    event_time: Math.floor(app.now() / 1_000),
    authorizations: [{ enterprise_id: null, team_id: app.teamId, user_id: app.bot.userId, is_bot: true }],
  };
}

const CHANNEL_TYPES = { im: "im", mpim: "mpim", channel: "channel", private: "group" } as const;

/** The type of a conversation in message events. */
export function slackChannelType(app: FakeSlackApp, channel: string): string {
  return CHANNEL_TYPES[app.conversations.get(channel)?.kind ?? "channel"];
}

/** The event of a message that was posted. */
export function slackMessageEvent(
  app: FakeSlackApp,
  message: SlackMessage,
  extra: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    ...(asSlackMessage(app, message) as Readonly<Record<string, unknown>>),
    client_msg_id: randomBytes(8).toString("hex"),
    channel: message.channel,
    event_ts: message.ts,
    channel_type: slackChannelType(app, message.channel),
    ...(message.files.length > 0 && { subtype: "file_share" }),
    ...extra,
  };
}

/** A text as the client of a person sends it: one rich text block, and the text with entities. */
export function slackRichText(text: string, more: readonly object[] = []): { readonly text: string; readonly blocks: readonly object[] } {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const mentions = more.map((element) => ("user_id" in element ? `<@${String(element.user_id)}>` : "")).join(" ");
  const elements = [...(text === "" ? [] : [{ type: "text", text }]), ...more];
  return {
    text: `${escaped}${mentions}`,
    blocks: [{ type: "rich_text", block_id: "b1", elements: [{ type: "rich_text_section", elements }] }],
  };
}

/** Faults that a test may add to a request of the platform. */
export interface SlackRequestOptions {
  readonly signature?: "right" | "wrong" | "missing";
  /** Milliseconds since the epoch; the app's clock by default. */
  readonly timestampMs?: number;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string;
}

/** A signed request of the platform with an event. */
export function slackEventRequest(app: FakeSlackApp, url: string, body: unknown, options: SlackRequestOptions = {}): Request {
  return signed(app, url, { body: JSON.stringify(body), contentType: "application/json" }, options);
}

/** A signed request of the platform with a form: a slash command, or an interaction in `payload`. */
export function slackFormRequest(
  app: FakeSlackApp,
  url: string,
  fields: Readonly<Record<string, string>>,
  options: SlackRequestOptions = {},
): Request {
  return signed(app, url, { body: new URLSearchParams(fields).toString(), contentType: "application/x-www-form-urlencoded" }, options);
}

function signed(
  app: FakeSlackApp,
  url: string,
  { body, contentType }: { readonly body: string; readonly contentType: string },
  options: SlackRequestOptions,
): Request {
  const { signature = "right", tamper = (text: string) => text } = options;
  const timestamp = String(Math.floor((options.timestampMs ?? app.now()) / 1_000));
  const headers = new Headers({ "content-type": contentType, "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)" });
  if (signature !== "missing") {
    const secret = signature === "right" ? app.signingSecret : "the-secret-of-another-app";
    headers.set("x-slack-request-timestamp", timestamp);
    headers.set("x-slack-signature", `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`);
  }
  return new Request(url, { method: "POST", headers, body: tamper(body) });
}

/** A slash command as the platform posts it. */
export function slackCommand(
  app: FakeSlackApp,
  input: { readonly command: string; readonly text: string; readonly channel: string; readonly user: string; readonly responseUrl: string },
): Readonly<Record<string, string>> {
  const conversation = app.conversations.get(input.channel);
  const name = { im: "directmessage", mpim: conversation?.name ?? "mpdm-", private: "privategroup", channel: conversation?.name ?? "" };
  return {
    token: "deprecated",
    team_id: app.teamId,
    team_domain: "team",
    channel_id: input.channel,
    channel_name: name[conversation?.kind ?? "channel"],
    user_id: input.user,
    user_name: app.users.get(input.user)?.name ?? "",
    command: input.command,
    text: input.text,
    api_app_id: app.appId,
    is_enterprise_install: "false",
    response_url: input.responseUrl,
    trigger_id: `1.2.${randomBytes(8).toString("hex")}`,
  };
}

/** A pressed button of a message as the platform posts it; `inputs` are the values of the form by block. */
export function slackPress(
  app: FakeSlackApp,
  input: {
    readonly message: SlackMessage;
    readonly user: string;
    readonly responseUrl: string;
    readonly button: { readonly actionId: string; readonly blockId?: string; readonly label: string; readonly value?: string };
    readonly inputs?: Readonly<Record<string, Readonly<Record<string, object>>>>;
  },
): Readonly<Record<string, unknown>> {
  const { message, user, button } = input;
  const conversation = app.conversations.get(message.channel);
  return {
    type: "block_actions",
    user: { id: user, username: app.users.get(user)?.name ?? "", name: app.users.get(user)?.name ?? "", team_id: app.teamId },
    api_app_id: app.appId,
    token: "deprecated",
    container: { type: "message", message_ts: message.ts, channel_id: message.channel, is_ephemeral: false },
    trigger_id: `3.4.${randomBytes(8).toString("hex")}`,
    team: { id: app.teamId, domain: "team" },
    channel: { id: message.channel, name: conversation?.kind === "im" ? "directmessage" : (conversation?.name ?? "") },
    message: asSlackMessage(app, message),
    state: { values: input.inputs ?? {} },
    response_url: input.responseUrl,
    actions: [
      {
        type: "button",
        action_id: button.actionId,
        block_id: button.blockId ?? "b",
        text: { type: "plain_text", text: button.label },
        ...(button.value !== undefined && { value: button.value }),
        action_ts: `${Math.floor(app.now() / 1_000)}.500000`,
      },
    ],
  };
}
