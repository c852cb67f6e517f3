import type { SendMessageRequest } from "@a2a-js/sdk";
import { Role } from "@a2a-js/sdk";
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { messageId } from "@factotum/channel-contract";
import type { AttachmentRef, MsgContext } from "@factotum/channel-contract";
import { HOPS_EXTENSION, hopsNote } from "../tasks/hops.ts";
import { MAX_FILE_BYTES } from "../tasks/task-files.ts";
import type { PeerFile } from "../tasks/task-files.ts";
import { derivedId } from "../tasks/task-id.ts";

const MAX_TEXT_LENGTH = 64_000;
const MAX_ID_LENGTH = 128;
const MAX_PARTS = 64;
const MAX_FILES = 10;
const MAX_NAME_LENGTH = 255;
const MAX_URL_LENGTH = 2_000;
const TEXT_TYPES: ReadonlySet<string> = new Set(["", "text/plain", "text/markdown"]);
/** What the gateway reads as a command. */
const COMMAND = /^\s*\/[a-z][\w-]*(?:[\s:@]|$)/iu;
const OUTPUT_TYPES: ReadonlySet<string> = new Set(["*/*", "text/*", "text", "text/plain", "text/markdown"]);

/** What a peer asks for, checked. */
export interface ParsedMessage {
  /** Empty if there are only files. */
  readonly text: string;
  readonly files: readonly PeerFile[];
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
    ...readParts(message.parts),
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
  }: Pick<ParsedMessage, "text" | "messageId" | "taskId" | "contextId"> & Partial<Pick<ParsedMessage, "onwardHops">>,
  {
    peer,
    accountId,
    nowMs,
    attachments = [],
  }: { readonly peer: string; readonly accountId: string; readonly nowMs: number; readonly attachments?: readonly AttachmentRef[] },
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
    attachments,
    replyContext: { data: taskId },
    ...(onwardHops !== undefined && { untrusted: [hopsNote(onwardHops)] }),
  };
}

type Part = NonNullable<SendMessageRequest["message"]>["parts"][number];

function readParts(parts: readonly Part[]): Pick<ParsedMessage, "text" | "files"> {
  if (parts.length > MAX_PARTS) throw new RequestMalformedError(`the message has more than ${MAX_PARTS} parts`);
  const texts: string[] = [];
  const files: PeerFile[] = [];
  for (const part of parts) {
    const { content, mediaType } = part;
    if (content?.$case === "text" && TEXT_TYPES.has(mediaType.split(";")[0]?.trim().toLowerCase() ?? "")) texts.push(content.value);
    else files.push(readFile(part));
  }
  const text = texts.join("\n\n");
  if (text.trim() === "" && files.length === 0) throw new RequestMalformedError("the message has no text and no file");
  // The gateway ignores commands of bots: the task would wait until its limit.
  if (COMMAND.test(text)) throw new UnsupportedOperationError("other agents give no commands here: begin the text with another word");
  if (text.length > MAX_TEXT_LENGTH) throw new RequestMalformedError(`the text has more than ${MAX_TEXT_LENGTH} characters`);
  if (files.length > MAX_FILES) throw new RequestMalformedError(`the message has more than ${MAX_FILES} files`);
  const size = files.reduce((sum, { content }) => sum + (content.type === "bytes" ? content.bytes.length : 0), 0);
  if (size > MAX_FILE_BYTES) throw new RequestMalformedError(`the files of the message have more than ${MAX_FILE_BYTES} bytes`);
  return { text, files };
}

function readFile({ content, mediaType, filename }: Part): PeerFile {
  if (mediaType.length > MAX_NAME_LENGTH || filename.length > MAX_NAME_LENGTH)
    throw new RequestMalformedError(`the name or the type of a file has more than ${MAX_NAME_LENGTH} characters`);
  const facts = { ...(filename !== "" && { fileName: filename }), ...(mediaType !== "" && { mimeType: mediaType }) };
  if (content?.$case === "raw") return { content: { type: "bytes", bytes: content.value }, ...facts };
  if (content?.$case !== "url")
    throw new ContentTypeNotSupportedError("this agent takes text/plain, text/markdown, and files as bytes or addresses");
  const { protocol } = URL.parse(content.value) ?? {};
  if ((protocol !== "https:" && protocol !== "http:") || content.value.length > MAX_URL_LENGTH)
    throw new RequestMalformedError(`the address of a file must be http or https, and have at most ${MAX_URL_LENGTH} characters`);
  return { content: { type: "url", url: content.value }, ...facts };
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
