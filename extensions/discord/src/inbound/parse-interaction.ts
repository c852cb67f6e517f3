import type { StoredButton } from "@factotum/channel-kit";
import { messageId } from "@factotum/channel-contract";
import type { CardInput, Conversation, InboundEvent, MsgContext, NativeCommand, Sender } from "@factotum/channel-contract";
import * as z from "zod";
import { addressOf } from "../context/places.ts";
import { snowflakeTimeMs } from "../snowflake.ts";
import { senderOf } from "./parse-message.ts";
import type { DiscordInteraction } from "./platform-types.ts";
import { replyContext } from "./reply-context.ts";

/** The one option of each registered command: all the text after its name. */
export const ARGUMENTS_OPTION = "arguments";

const CommandSchema = z.looseObject({
  name: z.string().min(1),
  type: z.number().int().default(1),
  options: z
    .array(
      z.looseObject({
        name: z.string(),
        value: z.union([z.string(), z.number(), z.boolean()]).optional(),
        focused: z.boolean().optional(),
      }),
    )
    .default([]),
});

const FieldSchema = z.looseObject({ custom_id: z.string(), value: z.string().optional(), values: z.array(z.string()).optional() });
const FormSchema = z.looseObject({
  custom_id: z.string(),
  components: z.array(z.looseObject({ component: FieldSchema.optional(), components: z.array(FieldSchema).optional() })).default([]),
});

const PressSchema = z.looseObject({ custom_id: z.string() });

/** Who caused an interaction, and where. */
interface InteractionContext {
  readonly conversation: Conversation;
  readonly sender: Sender;
}

/** A command as it is typed so far, for completions. */
export interface TypedCommand {
  readonly name: string;
  readonly text: string;
}

/** `undefined` for an interaction that does not say who or where. */
function contextOf(interaction: DiscordInteraction): InteractionContext | undefined {
  const { channel, channel_id: channelId, guild_id: guildId, member, user } = interaction;
  const person = member?.user ?? user;
  const id = channel?.id ?? channelId;
  if (person === undefined || id === undefined) return undefined;
  const place = { id, type: channel?.type ?? (guildId === undefined ? 1 : 0), guildId, parentId: channel?.parent_id ?? undefined };
  return { conversation: addressOf(place), sender: senderOf(person, { member }) };
}

/** A slash command. */
export function parseCommand(interaction: DiscordInteraction, accountId: string): MsgContext | undefined {
  const data = CommandSchema.safeParse(interaction.data).data;
  const context = contextOf(interaction);
  if (data?.type !== 1 || context === undefined) return undefined;
  const values = data.options.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  const typed = values.find(([name]) => name === ARGUMENTS_OPTION)?.[1];
  const others = values.filter(([name]) => name !== ARGUMENTS_OPTION);
  const argumentsText = typed === undefined ? "" : String(typed);
  const command: NativeCommand = { name: data.name, argumentsText, ...(others.length > 0 && { options: Object.fromEntries(others) }) };
  const text = [`/${data.name}`, argumentsText].filter((part) => part !== "").join(" ");
  return { ...messageOf(interaction, context, { accountId, event: { type: "message" }, text, isDeferred: true }), command };
}

/** What a request for completions has so far. */
export function parseTyped({ data }: DiscordInteraction): TypedCommand | undefined {
  const parsed = CommandSchema.safeParse(data).data;
  const focused = parsed?.options.find((option) => option.focused === true);
  return parsed === undefined || focused === undefined ? undefined : { name: parsed.name, text: String(focused.value ?? "") };
}

/** The id of a pressed button or a form that was filled in. */
export function customIdOf({ data }: DiscordInteraction): string | undefined {
  return PressSchema.safeParse(data).data?.custom_id;
}

/** A pressed button; `text` is what is on it. */
export function parsePress(interaction: DiscordInteraction, { button, card }: StoredButton, accountId: string): MsgContext | undefined {
  const context = contextOf(interaction);
  if (context === undefined) return undefined;
  const { actionId, value, label } = button;
  const fields = card.inputs ?? [];
  const targetId = interaction.message === undefined ? undefined : messageId(interaction.message.id);
  const form = FormSchema.safeParse(interaction.data).data;
  const inputs = fields.length === 0 || form === undefined ? undefined : valuesOf(form, fields);
  const event: InboundEvent = {
    type: "action",
    actionId,
    ...(value !== undefined && { value }),
    ...(targetId !== undefined && { targetId }),
    ...(inputs !== undefined && { inputs }),
  };
  return messageOf(interaction, context, { accountId, event, text: label, isDeferred: false });
}

/** The values of a form by the ids of its inputs; what was left empty is left out. */
function valuesOf({ components }: z.infer<typeof FormSchema>, inputs: readonly CardInput[]): Record<string, string | readonly string[]> {
  const fields = components.flatMap(({ component, components: more = [] }) => [...(component === undefined ? [] : [component]), ...more]);
  return Object.fromEntries(
    inputs.flatMap((input, index): [string, string | readonly string[]][] => {
      const field = fields.find(({ custom_id: id }) => id === String(index));
      if (field === undefined) return [];
      if (input.type === "text") return field.value === undefined || field.value === "" ? [] : [[input.id, field.value]];
      const values = (field.values ?? []).flatMap((number) => input.options[Number(number)]?.value ?? []);
      if (input.multiple === true) return [[input.id, values]];
      return values[0] === undefined ? [] : [[input.id, values[0]]];
    }),
  );
}

function messageOf(
  { id, application_id: application, token }: DiscordInteraction,
  { conversation, sender }: InteractionContext,
  more: { readonly accountId: string; readonly event: InboundEvent; readonly text: string; readonly isDeferred: boolean },
): MsgContext {
  return {
    origin: { channel: "discord", accountId: more.accountId, conversation },
    eventId: `interaction/${id}`,
    messageId: messageId(`interaction/${id}`),
    timestampMs: snowflakeTimeMs(id),
    event: more.event,
    sender,
    text: more.text,
    mentionsBot: true,
    attachments: [],
    replyContext: replyContext({ user: sender.id, interaction: { id, application, token, isDeferred: more.isDeferred } }),
  };
}
