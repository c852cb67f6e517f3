import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger, Random, Clock } from "@factotum/agent-contract";
import type { InboxStore, OutboxStore, SessionStore, TranscriptStore, TurnStore } from "@factotum/store";
import type { ChunkLimits } from "@factotum/channel-kit";
import type { ResolvedAgent } from "@factotum/config";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { ownMessages } from "../preparation/prepared-turn.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import { BlockStream } from "../delivery/streaming/block-stream.ts";
import type { BlockStreamOptions } from "../delivery/streaming/block-stream.ts";
import type { IsKnownMessage } from "../delivery/reply-to.ts";
import { HumanPace } from "../delivery/streaming/human-pace.ts";
import { PreviewStream } from "../delivery/streaming/preview-stream.ts";
import type { ReplyStream } from "../delivery/streaming/reply-stream.ts";

/** What the stream of a turn needs from its run. */
export interface StreamedRun {
  /** Texts that the run has sent to its own origin with a tool. */
  readonly sentTexts: () => readonly string[];
  readonly isKnownMessage: IsKnownMessage;
  /** Fires when the run is stopped; nothing more is sent then. */
  readonly signal: AbortSignal;
}

/** Dependencies of reply streams. */
export interface ReplyStreamOptions {
  readonly store: Pick<InboxStore, "readInput" | "hasReceived"> &
    Pick<TranscriptStore, "readRecentContext"> &
    OutboxStore &
    SessionStore &
    TurnStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly hideSecrets: (text: string) => string;
  readonly crashPoint?: CrashPointHook | undefined;
}

/**
 * Creates the stream that shows a turn's answers while they are written; `undefined` if streaming is off. Unattended runs show nothing before their end, since
 * they may end silently.
 */
export function createReplyStream(prepared: PreparedTurn, run: StreamedRun, parts: ReplyStreamOptions): ReplyStream | undefined {
  const { turn, agent, beginning } = prepared;
  const account = parts.channels.accountFor(turn.origin);
  const channel = parts.channels.channelFor(turn.origin);
  if (account === undefined || channel === undefined || channel.capabilities.addressing === "session-key") return undefined;
  // The growing answers of several agents would be mixed.
  if (!RUN_POLICY[turn.kind].showsProgress || turn.origin.speaker !== undefined) return undefined;
  const { capabilities } = channel;
  const { maxLength, unit, maxLines } = capabilities.text;
  const limits = {
    maxLength: Math.max(32, Math.min(maxLength, account.textChunkLimit ?? maxLength)),
    unit,
    ...withoutUndefined({ maxLines }),
  };
  const isResumed = beginning.type === "resumed";
  const common = {
    turn,
    replyToMode: account.replyToMode,
    isKnownMessage: run.isKnownMessage,
    answersBefore: ownMessages(prepared).filter(({ role }) => role === "assistant").length,
    isResumed,
    sentTexts: run.sentTexts,
    signal: run.signal,
    parts,
  };
  if (agent.config.blockStreamingDefault === "on" && (account.blockStreaming || capabilities.blocksByDefault === true))
    return createBlockStream(agent.config, limits, common);
  const { mode = capabilities.streamsByDefault === true ? "partial" : "off" } = account.streaming;
  const isNative = capabilities.streaming === "native" && (mode !== "progress" || capabilities.edit);
  if (mode === "off" || !(isNative || (capabilities.edit && capabilities.streaming === "edit"))) return undefined;
  return new PreviewStream({ ...common, channel, mode, limits });
}

function createBlockStream(
  { blockStreamingBreak, blockStreamingChunk, blockStreamingCoalesce, humanDelay }: ResolvedAgent,
  limits: ChunkLimits,
  common: Omit<BlockStreamOptions, "breaksAt" | "limits" | "idleMs" | "pace"> & { readonly parts: ReplyStreamOptions },
): BlockStream {
  const { clock, random } = common.parts;
  const maxLength = Math.max(32, Math.min(blockStreamingChunk.maxChars, limits.maxLength));
  return new BlockStream({
    ...common,
    breaksAt: blockStreamingBreak,
    limits: { ...limits, maxLength, minLength: Math.min(blockStreamingChunk.minChars, maxLength) },
    idleMs: blockStreamingCoalesce.idleMs,
    pace: new HumanPace(humanDelay, { random, now: () => clock.now() }),
  });
}
