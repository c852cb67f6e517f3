import { messageId } from "@factotum/channel-contract";
import type { InboundEvent } from "@factotum/channel-contract";
import * as z from "zod";
import { parseButtonValue } from "../card-value.ts";
import { inputIdOf } from "../outbound/render-card.ts";
import type { EventParts } from "./event-parts.ts";

const CardActionSchema = z.looseObject({
  operator: z.looseObject({ open_id: z.string().min(1) }),
  action: z.looseObject({ value: z.unknown(), form_value: z.record(z.string(), z.unknown()).nullish() }),
  context: z.looseObject({ open_message_id: z.string().min(1), open_chat_id: z.string().min(1) }),
});

/** Reads `card.action.trigger`. `undefined` without its documented structure, `foreign` for a card that this channel did not make. Pure. */
export function parseCardAction(event: unknown): EventParts | "foreign" | undefined {
  const parsed = CardActionSchema.safeParse(event);
  if (!parsed.success) return undefined;
  const { operator, action, context } = parsed.data;
  const button = parseButtonValue(action.value);
  if (button === undefined) return "foreign";
  const targetId = messageId(context.open_message_id);
  const inputs = action.form_value ? inputsOf(action.form_value) : undefined;
  const pressed: InboundEvent = {
    type: "action",
    actionId: button.action,
    targetId,
    ...(button.value !== undefined && { value: button.value }),
    ...(inputs !== undefined && { inputs }),
  };
  return {
    conversation: { kind: button.kind, id: context.open_chat_id, ...(button.thread !== undefined && { threadId: button.thread }) },
    messageId: targetId,
    event: pressed,
    senderId: operator.open_id,
    text: button.label,
    // The card is the bot's own.
    mentionsBot: true,
  };
}

/** The values of a form by the ids of its inputs. The platform omits some inputs that were left empty. */
function inputsOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string | readonly string[]>> {
  const inputs = Object.entries(values).flatMap(([name, value]): [string, string | readonly string[]][] => {
    const id = inputIdOf(name);
    if (id === undefined || value === null || value === undefined) return [];
    if (Array.isArray(value)) return [[id, value.filter((one) => typeof one === "string")]];
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? [[id, String(value)]] : [];
  });
  return Object.fromEntries(inputs);
}
