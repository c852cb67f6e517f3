import type { EffectivePromptFacts, MediaFacts, SystemEvent } from "@factotum/agent-core";
import type { MsgContext } from "@factotum/channel-contract";
import type { AgentToAgentStep, InputAdmission } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { isHostText } from "../run-policy/input-traits.ts";

/** The facts of a turn's text besides the message itself. */
export interface MessageFactsContext {
  readonly admission: InputAdmission;
  readonly delimiter: string;
  readonly nowMs: number;
  readonly timeZone: string;
  /** The sender's 12 hex digits. */
  readonly senderDisplayId: string;
  /** Raw ids are of use only to the `message` tool. */
  readonly hasMessageTool: boolean;
  /** A tool of the session opens files; without one a file is named without its path. */
  readonly opensFiles: boolean;
  /** The conversation is on a platform, with ids and names. */
  readonly isPlatform: boolean;
  /** Group messages since the last reply that were not addressed to the assistant. */
  readonly overheard: readonly MsgContext[];
  /** Media of the message, including those named in its text. */
  readonly media: readonly MediaFacts[];
  /** The group's facts changed since they were last shown. */
  readonly showsGroup: boolean;
  readonly sessionHint?: "aborted" | "interrupted";
  /** How the turn's channel shows text, and which channel the prompt describes. */
  readonly format?: Pick<EffectivePromptFacts["trusted"], "responseFormat" | "promptChannel">;
  /** For the first turn of a private session. */
  readonly dailyNotes: NonNullable<EffectivePromptFacts["dailyNotes"]>;
  readonly systemEvents: readonly SystemEvent[];
  /** True for the first message after a `/new`. */
  readonly isReset: boolean;
  /** Bootstrap files that were truncated in the prompt of this turn. */
  readonly truncations: NonNullable<EffectivePromptFacts["truncations"]>;
}

/** Derives the facts of part 3 from a message. Pure. */
export function messageFacts(message: MsgContext, context: MessageFactsContext): EffectivePromptFacts {
  const { origin, sender } = message;
  const isGroup = origin.conversation.kind !== "direct";
  if (isHostText(context.admission)) return hostFacts(message, context);
  if (context.admission.agentToAgent !== undefined) return agentFacts(message, context, context.admission.agentToAgent);
  const starter = message.thread?.starter;
  const history = message.thread?.history ?? [];
  return {
    delimiter: context.delimiter,
    run: context.admission.kind,
    nowMs: context.nowMs,
    timeZone: context.timeZone,
    trusted: {
      channel: origin.channel,
      provider: origin.channel,
      surface: origin.channel,
      account: origin.accountId,
      chatType: origin.conversation.kind,
      ...(isGroup ? { wasMentioned: message.mentionsBot } : {}),
      sender: context.senderDisplayId,
      owner: context.admission.owner,
      messageId: message.messageId,
      ...withoutUndefined({ replyToId: message.replyTo?.messageId }),
      ...context.format,
    },
    ...(context.media.length === 0
      ? {}
      : {
          media: context.opensFiles ? context.media : context.media.map(withoutPlace),
          mediaReplyHint: context.isPlatform && context.opensFiles,
        }),
    systemEvents: context.systemEvents,
    truncations: context.truncations,
    ...withoutUndefined({ sessionHint: context.sessionHint }),
    ...(history.length === 0 ? {} : { threadHistory: history }),
    ...(context.isPlatform ? { conversation: conversationFacts(message, context), ...senderFacts(message, context) } : {}),
    ...(message.replyTo === undefined || message.replyTo.body === ""
      ? {}
      : {
          replied: {
            isQuote: message.replyTo.isQuote,
            body: message.replyTo.body,
            ...withoutUndefined({ senderLabel: message.replyTo.sender?.name }),
          },
        }),
    ...(starter === undefined ? {} : { threadStarter: { body: starter.body } }),
    ...(context.overheard.length === 0
      ? {}
      : {
          chatHistory: context.overheard.map((earlier) => ({
            sender: earlier.sender.name ?? earlier.sender.id,
            timestampMs: earlier.timestampMs,
            body: overheardBody(earlier),
          })),
        }),
    ...withoutUndefined({ forwarded: message.forwarded }),
    dailyNotes: context.dailyNotes,
    body: promptBody(message, context.isReset),
    untrustedNotes: message.untrusted ?? [],
    storedSender: { id: sender.id, owner: context.admission.owner, ...withoutUndefined({ name: sender.name }) },
  };
}

/** A stored file that no tool opens. Files named in the owner's own text keep their names. */
function withoutPlace(media: MediaFacts): MediaFacts {
  const { path, location: _location, ...rest } = media;
  if (path === undefined) return media;
  const isShown = rest.omitted === undefined && rest.mimeType?.startsWith("image/") === true;
  return isShown || rest.omitted !== undefined ? rest : { ...rest, omitted: "no-tool" };
}

/** Messages that were not addressed to us become text: their files are named and never fetched, since they were not sent to us. */
function overheardBody({ text, attachments }: MsgContext): string {
  const files = attachments.map(({ kind, fileName }) => (fileName === undefined ? `[${kind}]` : `[${kind}: ${fileName}]`));
  return [...(text.trim() === "" ? [] : [text]), ...files].join("\n");
}

/** The task is the gateway's, the owner's or another agent's; what a webhook has sent is text of others. */
function hostFacts(
  { text, untrusted = [] }: MsgContext,
  { admission, delimiter, nowMs, timeZone, systemEvents, truncations }: MessageFactsContext,
): EffectivePromptFacts {
  const { completion, spawn } = admission;
  // The result of a sub-agent is no payload of a webhook.
  const [payload, ...notes] = completion === undefined ? untrusted : [undefined, ...untrusted];
  return {
    delimiter,
    run: admission.kind,
    nowMs,
    timeZone,
    trusted:
      completion === undefined
        ? {}
        : { completion: { source: "subagent", run: completion.id, session: completion.sessionKey, state: completion.state } },
    systemEvents,
    truncations,
    ...(payload === undefined ? {} : { payload: { source: payload.source, body: payload.text } }),
    body:
      spawn?.isTask === true
        ? {
            type: "subagent",
            task: text,
            depth: spawn.depth,
            maxDepth: spawn.maxDepth,
            persistent: spawn.isPersistent === true,
            ...forkFacts(admission),
          }
        : { type: "task", text },
    untrustedNotes: notes.flatMap((note) => note ?? []),
  };
}

/** How a sub-agent starts that does not start with its task alone. */
function forkFacts({ spawn, fork, extra }: InputAdmission): Pick<Extract<EffectivePromptFacts["body"], { type: "subagent" }>, "fork"> {
  if (spawn?.isFork !== true) return {};
  return { fork: fork === undefined ? {} : withoutUndefined({ context: extra }) };
}

/** A message of another session: its words are those of an agent, and name no person, chat or file. */
function agentFacts(
  { text }: MsgContext,
  { admission, delimiter, nowMs, timeZone, systemEvents, truncations }: MessageFactsContext,
  { step, requesterSession, requesterChannel, targetSession, turn, maxTurns }: AgentToAgentStep,
): EffectivePromptFacts {
  const role = admission.sessionKey === requesterSession ? ("requester" as const) : ("target" as const);
  const speaker = role === "requester" ? targetSession : requesterSession;
  const agentToAgent = {
    step,
    requesterSession,
    targetSession,
    role,
    turn,
    maxTurns,
    ...withoutUndefined({ requesterChannel }),
  };
  return {
    delimiter,
    run: admission.kind,
    nowMs,
    timeZone,
    trusted: { owner: admission.owner, agentToAgent },
    systemEvents,
    truncations,
    body: { type: "message", text },
    untrustedNotes: [],
    storedSender: { id: speaker, name: speaker, owner: admission.owner },
  };
}

function promptBody(message: MsgContext, isReset: boolean): EffectivePromptFacts["body"] {
  if (isReset) return { type: "reset", text: message.text };
  return message.text.trim() === "" && message.attachments.length > 0 ? { type: "media-only" } : { type: "message", text: message.text };
}

function conversationFacts(message: MsgContext, context: MessageFactsContext): NonNullable<EffectivePromptFacts["conversation"]> {
  const { group } = message;
  return {
    ...(context.hasMessageTool ? { chatId: message.origin.conversation.id, senderId: message.sender.id } : {}),
    ...withoutUndefined({ sender: message.sender.name }),
    ...(context.showsGroup && group?.subject !== undefined ? { groupSubject: group.subject } : {}),
    ...(context.showsGroup && group?.topic !== undefined ? { topic: group.topic } : {}),
    ...(context.showsGroup && group?.participants !== undefined ? { participants: group.participants } : {}),
  };
}

function senderFacts(message: MsgContext, context: MessageFactsContext): Pick<EffectivePromptFacts, "sender"> {
  const { sender } = message;
  // A sender without a handle adds nothing to what the conversation's block already says.
  if (sender.handle === undefined) return {};
  return {
    sender: {
      ...(sender.name === undefined ? {} : { label: sender.name, name: sender.name }),
      ...(context.hasMessageTool ? { id: sender.id } : {}),
      username: sender.handle,
    },
  };
}
