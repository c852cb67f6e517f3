import type { CardButton, Conversation } from "@factotum/channel-contract";
import * as z from "zod";

/** The value of a button: what the platform returns with a press, to the app that sent the card and to no other. */
export interface ButtonValue {
  readonly action: string;
  readonly value?: string | undefined;
  readonly label: string;
  /** The kind of the chat, which a press does not name. */
  readonly kind: Conversation["kind"];
  /** The first message of the thread that contains the card. */
  readonly thread?: string | undefined;
}

const ValueSchema: z.ZodType<ButtonValue> = z.looseObject({
  action: z.string(),
  value: z.string().optional(),
  label: z.string(),
  kind: z.enum(["direct", "group", "channel"]),
  thread: z.string().min(1).optional(),
});

/** The value of a button of a card in a conversation. */
export function buttonValue({ actionId, value, label }: CardButton, { kind, threadId }: Conversation): ButtonValue {
  return {
    action: actionId,
    label,
    kind,
    ...(value !== undefined && { value }),
    ...(threadId !== undefined && { thread: threadId }),
  };
}

/** Parses the output of `buttonValue`; `undefined` for anything else. */
export function parseButtonValue(value: unknown): ButtonValue | undefined {
  return ValueSchema.safeParse(value).data;
}
