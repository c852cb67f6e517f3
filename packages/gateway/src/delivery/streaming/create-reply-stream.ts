import { beginsTurn } from "@factotum/agent-core";
import type { AgentMessage } from "@factotum/agent-contract";
import { UNATTENDED_KINDS } from "../../spend/unattended-kinds.ts";
import type { PreparedTurn } from "../../turn/prepare-turn.ts";
import type { TurnServices } from "../../turn/turn-services.ts";
import { BlockStream } from "./block-stream.ts";
import { HumanPace } from "./human-pace.ts";
import type { ReplyStream } from "./reply-stream.ts";

/** What the stream of a turn asks of its run. */
export interface StreamedRun {
  /** What the run has sent with a tool, to its own origin. */
  readonly sentTexts: () => readonly string[];
  /** True for ids of messages that the model was given. */
  readonly isGiven: (id: string) => boolean;
  /** Fires when the run is stopped: then nothing more is sent. */
  readonly signal: AbortSignal;
}

/**
 * Makes what shows the answers of a turn while they are written; `undefined` where nothing does. Runs that nobody asked for may come to tell nothing:
 * they show nothing before their end.
 */
export function createReplyStream(prepared: PreparedTurn, run: StreamedRun, services: TurnServices): ReplyStream | undefined {
  const { turn, agent, history } = prepared;
  const account = services.channels.accountFor(turn.origin);
  const capabilities = services.channels.channelFor(turn.origin)?.capabilities;
  if (account === undefined || capabilities === undefined || capabilities.addressing === "session-key") return undefined;
  if (turn.kind === "memory" || UNATTENDED_KINDS.has(turn.kind)) return undefined;
  const isResumed = prepared.prompt === undefined;
  const { blockStreamingDefault, blockStreamingBreak, blockStreamingChunk, blockStreamingCoalesce, humanDelay } = agent.config;
  const mayComeInBlocks = account.blockStreaming || capabilities.blocksByDefault === true;
  if (blockStreamingDefault === "off" || !mayComeInBlocks) return undefined;
  const { maxLength, unit, maxLines } = capabilities.text;
  const longest = Math.max(32, Math.min(blockStreamingChunk.maxChars, maxLength, account.textChunkLimit ?? maxLength));
  return new BlockStream({
    turn,
    breaksAt: blockStreamingBreak,
    limits: {
      maxLength: longest,
      minLength: Math.min(blockStreamingChunk.minChars, longest),
      unit,
      ...(maxLines === undefined ? {} : { maxLines }),
    },
    idleMs: blockStreamingCoalesce.idleMs,
    pace: new HumanPace(humanDelay, { random: services.random, now: () => services.clock.now() }),
    place: { mode: account.replyToMode, isGiven: run.isGiven },
    answersBefore: isResumed ? answersOfTurn(history) : 0,
    isResumed,
    sentTexts: run.sentTexts,
    signal: run.signal,
    services,
  });
}

/** Answers since the turn began. */
function answersOfTurn(history: readonly AgentMessage[]): number {
  return history.slice(history.findLastIndex(beginsTurn) + 1).filter(({ role }) => role === "assistant").length;
}
