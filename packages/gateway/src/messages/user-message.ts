import { renderEffectivePrompt } from "@factotum/agent-core";
import {
  type Random,
  type RunFacts,
  type RunKind,
  type UserMessage,
  type UserMessageParts,
  withoutUndefined,
} from "@factotum/agent-contract";
import type { ResolvedAgent } from "@factotum/config";
import type { MsgContext } from "@factotum/channel-contract";
import { retriedKey } from "@factotum/protocol";
import { displayId } from "../access/display-id.ts";
import type { PreparedMedia, MediaStage } from "../media/media-stage.ts";
import { shortenText } from "./long-message.ts";
import type { LongTextPlace } from "./long-message.ts";
import { refersToTainted } from "../taint/sent-taint.ts";
import type { SentMessageStore } from "../taint/sent-taint.ts";
import { isTainted } from "../taint/taint.ts";
import { messageFacts } from "./message-facts.ts";
import type { MessageFactsContext } from "./message-facts.ts";
import type { SessionContext } from "../conversation/session-context.ts";
import type { GatheredMessage } from "../queue/turn-job.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { personId } from "../kernel/person-id.ts";
import { isHostText } from "../run-policy/input-traits.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** The parts of the turn that belong to one of its messages. */
export interface UserMessageRequest {
  readonly said: GatheredMessage;
  /** Absent without a usable workspace: attachments are left out, and only the beginning and the end of a long text are kept. */
  readonly facts: RunFacts | undefined;
  /** Where a text is stored that is too long for the model. */
  readonly session: Pick<LongTextPlace, "sessionId" | "sessionKey">;
  readonly nowMs: number;
  readonly showsGroup: boolean;
  readonly isReset: boolean;
  /** The message joined a turn that another one began. */
  readonly joined: boolean;
  /** Facts that only the first message of a turn has. */
  readonly opening: Pick<MessageFactsContext, "systemEvents" | "truncations" | "sessionHint" | "format" | "dailyNotes">;
  /** The opening contains text of others than the owner. */
  readonly isOpeningTainted: boolean;
  readonly hasMessageTool: boolean;
  /** Files can be announced: a tool of the session opens them. */
  readonly opensFiles: boolean;
  readonly signal: AbortSignal;
}

/** Model and settings to render messages for; without a model if there is none to ask. */
export interface MessageContext extends Pick<SessionContext, "agent" | "fallbacks"> {
  readonly model: SessionContext["model"] | undefined;
}

/** Dependencies of message rendering. */
export interface MessageParts {
  readonly store: SentMessageStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly media: MediaStage;
  readonly random: Random;
}

/** The reason for the model and, in its words, for the owner. */
const REFERS_TO_TAINTED =
  "This turn is tainted: the message that was pressed or replied to was written in a turn with text of others, or it is no longer known who caused it.";

const NO_MEDIA: PreparedMedia = { images: [], media: [], tainted: false, kept: [], transcripts: [], transcriptionProblems: [] };

/** Renders parts 3 and 4 of the request: the text with its context, and its images. Rendered once; history replays it unchanged. */
export async function renderUserMessage(
  request: UserMessageRequest,
  context: MessageContext,
  { media: stage, channels, running, random, store }: MessageParts,
): Promise<UserMessage> {
  const { said, facts, nowMs, signal } = request;
  const { message: whole, admission } = said.input;
  const shortened = await shortenText(
    whole.text,
    context.model?.client.info.contextWindow,
    { ...request.session, untrusted: !admission.owner },
    request.opensFiles && facts !== undefined ? stage.store : undefined,
  );
  const message = { ...whole, text: shortened.text };
  const platform = channels.channelFor(message.origin);
  const media =
    // The gateway's own text and that of another agent name no files to show, even if the output of a command in it does.
    facts === undefined || isHostText(admission) || admission.agentToAgent !== undefined
      ? NO_MEDIA
      : await stage.prepare(
          {
            message,
            run: facts,
            channel: message.origin.channel === "http" ? stage.uploads : platform,
            model: context.model?.client.info,
            fallbacks: context.fallbacks.map(({ client }) => client.info),
          },
          { signal },
        );
  const spoken = await shortenText(
    media.transcripts.join("\n\n"),
    context.model?.client.info.contextWindow,
    { ...request.session, untrusted: !admission.owner },
    request.opensFiles && facts !== undefined ? stage.store : undefined,
  );
  const isOthers = isTainted(message, { admission, overheard: said.overheard, ownerAllowFrom: running.config.commands.ownerAllowFrom });
  const refers = !isOthers && (await refersToTainted(message, { store }));
  const events = [
    ...(refers ? [REFERS_TO_TAINTED] : []),
    ...(admission.owner
      ? media.transcriptionProblems.map((problem) => `A recording was not transcribed: ${problem}. Tell the user why.`)
      : []),
  ];
  const effective = renderEffectivePrompt(
    messageFacts(withTranscript(message, spoken.text), {
      admission,
      delimiter: Buffer.from(random.bytes(6)).toString("hex"),
      nowMs,
      timeZone: context.agent.config.userTimezone,
      senderDisplayId: displayId(personId(message.origin, message.sender.id), running.ownerDisplaySecret),
      hasMessageTool: request.hasMessageTool,
      isPlatform: platform?.capabilities.addressing === "platform",
      overheard: said.overheard,
      showsGroup: request.showsGroup,
      isReset: request.isReset,
      ...request.opening,
      systemEvents: [...request.opening.systemEvents, ...events.map((text) => ({ timestampMs: nowMs, text }))],
      opensFiles: request.opensFiles,
      media: [...media.media, ...[shortened, spoken].flatMap(({ file }) => file ?? [])],
    }),
    context.agent.time,
  );
  const tainted = media.tainted || request.isOpeningTainted || isOthers || refers;
  return {
    role: "user",
    content: [{ type: "text", text: effective.text }, ...media.images],
    parts: {
      ...effective.parts,
      ...silentLimit(admission.kind, context.agent.config),
      ...(request.joined ? { joined: true } : {}),
      source: { channel: message.origin.channel, eventId: message.eventId, ...withoutUndefined({ retryOf: retriedKey(message.eventId) }) },
      ...(media.kept.length === 0 ? {} : { files: media.kept }),
    },
    ...(tainted ? { tainted } : {}),
    timestamp: nowMs,
  };
}

/** A heartbeat keeps the limit that its answer is measured by: a later change of the setting must not change the history (R14). */
function silentLimit(kind: RunKind, { heartbeat }: ResolvedAgent): Pick<UserMessageParts, "ackMaxChars"> {
  return RUN_POLICY[kind].reply === "unless-heartbeat-ok" && heartbeat !== "off" ? { ackMaxChars: heartbeat.ackMaxChars } : {};
}

/** The words of recordings follow the sender's text. Those of a forwarded recording are another person's. */
function withTranscript(message: MsgContext, transcript: string): MsgContext {
  if (transcript === "") return message;
  if (message.forwarded !== undefined)
    return {
      ...message,
      untrusted: [...(message.untrusted ?? []), { source: "transcription of a forwarded recording", text: transcript }],
    };
  return { ...message, text: message.text.trim() === "" ? transcript : `${message.text}\n\n${transcript}` };
}
