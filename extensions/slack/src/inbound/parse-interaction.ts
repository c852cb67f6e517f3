import { messageId } from "@factotum/channel-contract";
import type { MsgContext, NativeCommand } from "@factotum/channel-contract";
import * as z from "zod";
import { conversationOf, namedKind } from "../conversation-id.ts";
import { parseActionId, parseInputId } from "../outbound/card-ids.ts";
import { timestampMs } from "./event-schema.ts";
import { unescapeEntities } from "./parse-mrkdwn.ts";
import { replyContext } from "./reply-context.ts";

const id = z.string().min(1);
const CommandSchema = z.looseObject({
  command: z.string().regex(/^\/\S+$/),
  text: z.string().default(""),
  user_id: id,
  user_name: z.string().optional(),
  team_id: z.string().default(""),
  channel_id: id,
  channel_name: z.string().optional(),
  trigger_id: id,
  response_url: z.url().optional(),
});
const StateValueSchema = z.looseObject({
  value: z.string().nullish(),
  selected_option: z.looseObject({ value: z.string() }).nullish(),
  selected_options: z.array(z.looseObject({ value: z.string() })).nullish(),
});
const ActionSchema = z.looseObject({
  type: z.string(),
  action_id: z.string(),
  value: z.string().optional(),
  text: z.looseObject({ text: z.string().default("") }).optional(),
  action_ts: z.string().default(""),
});
const PressSchema = z.looseObject({
  type: z.literal("block_actions"),
  trigger_id: id,
  user: z.looseObject({ id, name: z.string().optional(), username: z.string().optional() }),
  team: z.looseObject({ id: z.string() }).nullish(),
  channel: z.looseObject({ id, name: z.string().optional() }),
  container: z.looseObject({ message_ts: z.string().optional(), thread_ts: z.string().optional() }).optional(),
  message: z.looseObject({ ts: z.string(), thread_ts: z.string().optional() }).optional(),
  state: z.looseObject({ values: z.record(z.string(), z.record(z.string(), z.unknown())).default({}) }).optional(),
  response_url: z.url().optional(),
  actions: z.array(ActionSchema).min(1),
});

/** The command that takes other commands and messages. */
const GENERAL_COMMAND = "factotum";

/** What is needed to parse commands and interactions. */
export interface InteractionContext {
  readonly accountId: string;
  readonly nowMs: number;
}

/** The workspace of a command or an interaction; `undefined` if it does not say. */
export function teamOf(payload: unknown): string | undefined {
  const { team_id: flat, team } = (payload ?? {}) as { readonly team_id?: unknown; readonly team?: { readonly id?: unknown } | null };
  const found = flat ?? team?.id;
  return typeof found === "string" && found !== "" ? found : undefined;
}

/**
 * Parses a slash command: a command of the gateway by its name. After `/factotum` a word with a slash is a command, other words may be a command or a message;
 * without text it asks for help. `undefined` for anything else.
 */
export function parseCommand(payload: unknown, context: InteractionContext): MsgContext | undefined {
  const parsed = CommandSchema.safeParse(payload);
  if (!parsed.success) return undefined;
  const { text, user_id: user, user_name: handle, channel_id: channel, channel_name: name, trigger_id: trigger } = parsed.data;
  const command = commandOf(parsed.data.command.slice(1), plainText(text));
  const kind = name === "directmessage" ? "direct" : (namedKind({ id: channel, name }) ?? "channel");
  return {
    origin: { channel: "slack", accountId: context.accountId, conversation: { kind, id: channel } },
    eventId: `command/${trigger}`,
    messageId: messageId(`command/${trigger}`),
    timestampMs: 0,
    event: { type: "message" },
    sender: { id: user, ...(handle ? { handle } : {}), isBot: false },
    text:
      command === undefined || command.mayBeText === true ? plainText(text) : `/${[command.name, command.argumentsText].join(" ").trim()}`,
    mentionsBot: true,
    attachments: [],
    ...(command !== undefined && { command }),
    replyContext: replyContext({ user, team: parsed.data.team_id, responseUrl: parsed.data.response_url }, context.nowMs),
  };
}

/** The text of a command: people and conversations are names, or references with a name if the app asked for them. */
function plainText(text: string): string {
  const named = text.replaceAll(/<([@#])[A-Z0-9]+\|([^>]+)>/g, "$1$2");
  return unescapeEntities(named).trim();
}

function commandOf(own: string, text: string): NativeCommand | undefined {
  if (own !== GENERAL_COMMAND) return { name: own, argumentsText: text };
  if (text === "") return { name: "help", argumentsText: "" };
  const [, slash = "", name, argumentsText = ""] = /^(\/?)([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, argumentsText, ...(slash === "" && { mayBeText: true }) };
}

/** Parses a pressed button, with the values of the form around it. `undefined` for anything else. */
export function parsePress(payload: unknown, context: InteractionContext): MsgContext | undefined {
  const parsed = PressSchema.safeParse(payload);
  if (!parsed.success) return undefined;
  const { actions, channel, container, message, user, team, trigger_id: trigger, response_url: responseUrl } = parsed.data;
  const action = actions.find(({ type }) => type === "button");
  if (action === undefined) return undefined;
  const ts = message?.ts ?? container?.message_ts;
  const kind = channel.name === "directmessage" ? "direct" : (namedKind(channel) ?? "channel");
  const inputs = inputsOf(parsed.data.state?.values ?? {});
  const handle = user.username ?? user.name;
  return {
    origin: {
      channel: "slack",
      accountId: context.accountId,
      conversation: conversationOf({ kind, id: channel.id, ts, threadTs: message?.thread_ts ?? container?.thread_ts }),
    },
    eventId: `press/${trigger}`,
    messageId: messageId(`press/${trigger}`),
    timestampMs: timestampMs(action.action_ts),
    event: {
      type: "action",
      actionId: parseActionId(action.action_id),
      ...(action.value !== undefined && { value: action.value }),
      ...(ts !== undefined && { targetId: messageId(ts) }),
      ...(Object.keys(inputs).length > 0 && { inputs }),
    },
    sender: { id: user.id, ...(handle ? { handle } : {}), isBot: false },
    text: action.text?.text ?? "",
    mentionsBot: true,
    attachments: [],
    replyContext: replyContext({ user: user.id, team: team?.id ?? "", responseUrl }, context.nowMs),
  };
}

/** The values of a form, by the ids that the card gave its inputs. Inputs that were left empty have none. */
function inputsOf(values: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Record<string, string | readonly string[]> {
  const inputs: Record<string, string | readonly string[]> = {};
  for (const [block, elements] of Object.entries(values)) {
    const inputId = parseInputId(block);
    const state = StateValueSchema.safeParse(Object.values(elements)[0]);
    if (inputId === undefined || !state.success) continue;
    const { value, selected_option: one, selected_options: several } = state.data;
    const given = several?.map((option) => option.value) ?? one?.value ?? value;
    if (given !== undefined && given !== null) inputs[inputId] = given;
  }
  return inputs;
}
