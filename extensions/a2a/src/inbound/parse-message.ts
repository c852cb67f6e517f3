import type { SendMessageRequest } from "@a2a-js/sdk";
import { Role } from "@a2a-js/sdk";
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { messageId } from "@factotum/channel-contract";
import type { MsgContext } from "@factotum/channel-contract";
import { HOPS_EXTENSION, hopsNote } from "../tasks/hops.ts";
import { derivedId } from "../tasks/task-id.ts";

const MAX_TEXT_LENGTH = 64_000;
const MAX_ID_LENGTH = 128;
const MAX_PARTS = 64;
const TEXT_TYPES: ReadonlySet<string> = new Set(["", "text/plain", "text/markdown"]);
/** What the gateway reads as a command. */
const COMMAND = /^\s*\/[a-z][\w-]*(?:[\s:@]|$)/iu;
const OUTPUT_TYPES: ReadonlySet<string> = new Set(["*/*", "text/*", "text", "text/plain", "text/markdown"]);

/** What a peer asks for, checked. */
export interface ParsedMessage {
  readonly text: string;
  readonly messageId: string;
  /** The task that the message makes. */
  readonly taskId: string;
  readonly contextId: string;
  /** An earlier task that the message names. */
  readonly followedTaskId: string | undefined;
  /** How many agents a request that the message causes has passed: this one is among them. */
  readonly onwardHops: number;
}

/** Checks a request to send a message. Throws the errors of the protocol. */
export function parseMessage(
  request: SendMessageRequest,
  { peer, maxHops }: { readonly peer: string; readonly maxHops: number },
): ParsedMessage {
  const { message, configuration } = request;
  if (message === undefined) throw new RequestMalformedError("the request has no message");
  if (message.role !== Role.ROLE_USER) throw new RequestMalformedError("the role of a message to this agent is ROLE_USER");
  if (configuration?.taskPushNotificationConfig !== undefined) throw new PushNotificationNotSupportedError();
  const modes = configuration?.acceptedOutputModes ?? [];
  if (modes.length > 0 && !modes.some((mode) => OUTPUT_TYPES.has(mode.toLowerCase())))
    throw new ContentTypeNotSupportedError("this agent answers with text/markdown");
  const id = checkedId(message.messageId, "messageId");
  if (id === "") throw new RequestMalformedError("the message has no messageId");
  const hops = checkedHops(message.metadata?.[HOPS_EXTENSION] ?? request.metadata?.[HOPS_EXTENSION] ?? 0, maxHops);
  const contextId = checkedId(message.contextId, "contextId");
  const followed = checkedId(message.taskId, "taskId");
  return {
    text: textOf(message.parts),
    messageId: id,
    taskId: derivedId("task", peer, id),
    contextId: contextId === "" ? derivedId("context", peer, id) : contextId,
    followedTaskId: followed === "" ? undefined : followed,
    onwardHops: hops + 1,
  };
}

/** The gateway's own form of a peer's message: a bot's, in a thread for each context. */
export function toMsgContext(
  {
    text,
    messageId: id,
    taskId,
    contextId,
    onwardHops,
  }: Omit<ParsedMessage, "followedTaskId" | "onwardHops"> & Partial<Pick<ParsedMessage, "onwardHops">>,
  { peer, accountId, nowMs }: { readonly peer: string; readonly accountId: string; readonly nowMs: number },
): MsgContext {
  return {
    origin: { channel: "a2a", accountId, conversation: { kind: "direct", id: peer, threadId: contextId } },
    eventId: id,
    messageId: messageId(id),
    timestampMs: nowMs,
    event: { type: "message" },
    sender: { id: peer, isBot: true },
    text,
    mentionsBot: true,
    attachments: [],
    replyContext: { data: taskId },
    ...(onwardHops !== undefined && { untrusted: [hopsNote(onwardHops)] }),
  };
}

function textOf(parts: NonNullable<SendMessageRequest["message"]>["parts"]): string {
  if (parts.length > MAX_PARTS) throw new RequestMalformedError(`the message has more than ${MAX_PARTS} parts`);
  const texts = parts.map(({ content, mediaType }) => {
    if (content?.$case !== "text" || !TEXT_TYPES.has(mediaType.split(";")[0]?.trim().toLowerCase() ?? ""))
      throw new ContentTypeNotSupportedError("this agent takes parts of text/plain and text/markdown alone");
    return content.value;
  });
  const text = texts.join("\n\n");
  if (text.trim() === "") throw new RequestMalformedError("the message has no text");
  // The gateway ignores commands of bots: the task would wait until its limit.
  if (COMMAND.test(text)) throw new UnsupportedOperationError("other agents give no commands here: begin the text with another word");
  if (text.length > MAX_TEXT_LENGTH) throw new RequestMalformedError(`the text has more than ${MAX_TEXT_LENGTH} characters`);
  return text;
}

function checkedId(id: string, name: string): string {
  if (id.length > MAX_ID_LENGTH || !/^[\x21-\x7e]*$/.test(id))
    throw new RequestMalformedError(`${name} must have at most ${MAX_ID_LENGTH} characters, all of them visible ASCII`);
  return id;
}

function checkedHops(hops: unknown, maxHops: number): number {
  if (typeof hops !== "number" || !Number.isInteger(hops) || hops < 0)
    throw new RequestMalformedError("the number of hops is no whole number");
  if (hops > maxHops)
    throw new UnsupportedOperationError(
      `the request has passed ${hops} agents, and this one takes at most ${maxHops}: it may go in a circle`,
    );
  return hops;
}
