import type { MessageCard, MessagingFeatures } from "@factotum/agent-contract";
import { z } from "zod";

const text = (what: string): z.ZodOptional<z.ZodString> => z.string().min(1).max(100_000).optional().describe(what);
const id = (what: string): z.ZodOptional<z.ZodString> => z.string().min(1).max(512).optional().describe(what);

const CardSchema = z.strictObject({
  title: z.string().max(1000).optional(),
  body: z.string().max(100_000).describe("Markdown"),
  fields: z
    .array(z.strictObject({ label: z.string(), value: z.string() }))
    .max(50)
    .optional(),
  inputs: z
    .array(
      z.strictObject({
        type: z.enum(["text", "choice"]),
        id: z.string().min(1).max(100),
        label: z.string().min(1).max(1000),
        options: z.array(z.string().min(1)).max(100).optional().describe("Of a choice"),
      }),
    )
    .max(20)
    .optional()
    .describe("Form inputs; their values arrive with a press of a button"),
  buttons: z
    .array(
      z.strictObject({
        label: z.string().min(1).max(1000),
        value: z.string().min(1).max(4000).optional().describe("Arrives when the button is pressed. Default: the label"),
        style: z.enum(["default", "primary", "danger"]).optional(),
      }),
    )
    .max(50)
    .optional(),
});

/** Name of an operation. */
export type OperationName =
  | "send"
  | "card"
  | "poll"
  | "react"
  | "edit"
  | "delete"
  | "pin"
  | "unpin"
  | "pins-list"
  | "read"
  | "search"
  | "reactions-list"
  | "thread-create"
  | "thread-list"
  | "member-info"
  | "channel-info"
  | "emoji-list"
  | "permissions";

/** The parameters of a call; those of an address are `target` and `channel`. */
export interface MessageArguments {
  readonly action: OperationName;
  readonly message?: string | undefined;
  readonly media?: string | undefined;
  readonly card?: MessageCard | undefined;
  readonly options?: readonly string[] | undefined;
  readonly multiple?: boolean | undefined;
  readonly durationSeconds?: number | undefined;
  readonly messageId?: string | undefined;
  readonly emoji?: string | undefined;
  readonly remove?: boolean | undefined;
  readonly mentions?: readonly { readonly id: string; readonly name: string }[] | undefined;
  readonly replyTo?: string | undefined;
  readonly silent?: boolean | undefined;
  readonly onlyFor?: string | undefined;
  readonly threadId?: string | undefined;
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
  readonly name?: string | undefined;
  readonly userId?: string | undefined;
  readonly target?: string | undefined;
  readonly channel?: string | undefined;
}

/** A parameter besides those of the address. */
export type MessageParameter = Exclude<keyof MessageArguments, "action" | "target" | "channel">;

/** The operations, each with its parameters. */
export const OPERATIONS: Readonly<
  Record<OperationName, { readonly required: readonly MessageParameter[]; readonly optional: readonly MessageParameter[] }>
> = {
  send: { required: [], optional: ["message", "media", "mentions", "replyTo", "silent", "onlyFor", "threadId"] },
  card: { required: ["card"], optional: ["replyTo", "silent", "onlyFor", "threadId"] },
  poll: { required: ["message", "options"], optional: ["multiple", "durationSeconds", "threadId"] },
  react: { required: ["messageId", "emoji"], optional: ["remove"] },
  edit: { required: ["messageId"], optional: ["message", "card"] },
  delete: { required: ["messageId"], optional: [] },
  pin: { required: ["messageId"], optional: [] },
  unpin: { required: ["messageId"], optional: [] },
  "pins-list": { required: [], optional: ["limit"] },
  read: { required: [], optional: ["limit", "before", "threadId"] },
  search: { required: ["query"], optional: ["limit"] },
  "reactions-list": { required: ["messageId"], optional: [] },
  "thread-create": { required: ["name"], optional: ["messageId"] },
  "thread-list": { required: [], optional: ["limit"] },
  "member-info": { required: ["userId"], optional: [] },
  "channel-info": { required: [], optional: [] },
  "emoji-list": { required: [], optional: [] },
  permissions: { required: [], optional: [] },
};

const [SEND = "send", ...OTHERS] = Object.keys(OPERATIONS) as OperationName[];

const PARAMETERS = {
  message: text("Markdown; send needs it unless media is given. Of a poll: the question"),
  media: z.string().optional().describe("One file to attach: a path in the workspace or an http(s) URL"),
  card: CardSchema.optional().describe("A structured message with fields, inputs and buttons"),
  options: z.array(z.string().min(1).max(1000)).min(2).max(100).optional().describe("Answers of a poll"),
  multiple: z.boolean().optional().describe("Several answers can be chosen"),
  durationSeconds: z.number().int().positive().optional().describe("How long a poll is open"),
  messageId: id("message_id in Conversation info; for edit and delete the id that an earlier call returned"),
  emoji: z.string().min(1).max(100).optional(),
  remove: z.boolean().optional().describe("Take the reaction back"),
  mentions: z
    .array(z.strictObject({ id: z.string().min(1), name: z.string().min(1) }))
    .max(50)
    .optional()
    .describe("People whose @name notifies them"),
  replyTo: id("Reply to this message_id"),
  silent: z.boolean().optional().describe("Without a notification"),
  onlyFor: id("Show it to this person alone, by their id"),
  threadId: id("A thread of the conversation"),
  query: z.string().min(1).max(1000).optional().describe("Text to search for"),
  limit: z.number().int().min(1).max(100).optional().describe("Maximum entries. Default: 20"),
  before: id("Only messages before this one"),
  name: z.string().min(1).max(200).optional().describe("Name of the new thread"),
  userId: id("The person, by their id"),
} satisfies Readonly<Record<MessageParameter, z.ZodType>>;

const ADDRESS = {
  target: z
    .string()
    .min(1)
    .optional()
    .describe("chat_id, user:<id>, channel:<id> of a group room, or a name that only one of them has. Default: this conversation"),
  channel: z.string().min(1).optional().describe("Another messaging service, by its id. Default: this conversation's"),
} as const;

/** Every parameter of the tool; its output is `MessageArguments`. */
export const MessageSchema: z.ZodObject = z.strictObject({ action: z.enum([SEND, ...OTHERS]), ...PARAMETERS, ...ADDRESS });

/** The part of the schema that a session with these features can use. */
export function narrowMessageSchema({ actions, elsewhere, ephemeral, silent, threads }: MessagingFeatures): z.ZodObject {
  const known = [SEND, ...OTHERS.filter((name) => actions.includes(name))] as const;
  const absent = new Set<string>([...(ephemeral ? [] : ["onlyFor"]), ...(silent ? [] : ["silent"]), ...(threads ? [] : ["threadId"])]);
  const used = new Set<string>(known.flatMap((name) => [...OPERATIONS[name].required, ...OPERATIONS[name].optional]));
  const parameters = Object.entries(PARAMETERS).filter(([name]) => used.has(name) && !absent.has(name));
  return z.strictObject({ action: z.enum(known), ...Object.fromEntries(parameters), ...(elsewhere ? ADDRESS : {}) });
}
