import type { HistoryMessage, MsgContext } from "@factotum/channel-contract";
import { messageId } from "@factotum/channel-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { SessionStore } from "@factotum/store";
import { raceAbort } from "../kernel/race-abort.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { InputPolicy } from "../conversation/input-policy.ts";
import { inputsOf, leadInput } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";

/** Maximum UTF-16 units of the fetched texts; the oldest are left out. */
const MAX_CHARS = 1024 * 1024;

/** Dependencies of fetched history. */
export interface HistoryParts {
  readonly channels: ChannelRegistry;
  readonly policy: Pick<InputPolicy, "admits" | "admissionOf">;
  readonly running: RunningConfig;
  readonly store: Pick<SessionStore, "readSession">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** True if a job may be the first of a group or thread whose earlier messages its channel can fetch: nothing waits as history already. */
export function mayFetchHistory(job: InputJob, { channels, running }: Pick<HistoryParts, "channels" | "running">): boolean {
  const { message, admission } = oldestOf(job);
  return (
    message.origin.conversation.kind !== "direct" &&
    message.event.type === "message" &&
    RUN_POLICY[admission.kind].isFromPerson &&
    job.messages[0].overheard.length === 0 &&
    running.config.messages.groupChat.historyLimit > 0 &&
    channels.channelFor(message.origin)?.capabilities.optional?.includes("history") === true
  );
}

/** Fetches the messages before a job that begins its session; empty for any other job, and after a failure. Never rejects. */
export async function fetchHistory(
  sessionKey: string,
  job: InputJob,
  parts: HistoryParts,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly HistoryMessage[]> {
  const { channels, running, store, clock, logger } = parts;
  const { message } = oldestOf(job);
  const { origin } = message;
  try {
    const isFirst = (await raceAbort(store.readSession(sessionKey), { signal, clock })) === undefined;
    const channel = channels.channelFor(origin);
    if (!isFirst || channel?.history === undefined) return [];
    const limit = running.config.messages.groupChat.historyLimit;
    // The id of a native command need not be that of a message.
    const range = { limit, ...(message.command === undefined ? { before: message.messageId } : {}) };
    return await raceAbort(channel.history(origin, { ...range, signal }), { signal, clock });
  } catch (error) {
    if (error !== signal.reason) logger.warn("The earlier messages of a group could not be fetched", { channel: origin.channel, error });
    return [];
  }
}

/** Adds fetched history to the first message of a job, as if it had been overheard: without what the job shows already, and what the policy keeps out. */
export function withHistory(job: InputJob, found: readonly HistoryMessage[], { policy, running }: HistoryParts): InputJob {
  const threads = job.messages.flatMap(({ input: { message } }) => message.thread ?? []);
  const inThreads = threads.flatMap(({ starter, history = [] }) => [...(starter === undefined ? [] : [starter]), ...history]);
  // It is unknown whether it would be shown twice.
  if (found.length === 0 || inThreads.some((one) => one.messageId === undefined)) return job;
  const said = [...inputsOf(job).map(({ message }) => message), ...job.messages.flatMap(({ overheard }) => overheard)];
  const shown = new Set([...inThreads, ...said].map((one) => one.messageId));
  const [first, ...more] = job.messages;
  const earlier = found
    .filter((one) => one.isSelf !== true && !(one.messageId !== undefined && shown.has(one.messageId)))
    .slice(-running.config.messages.groupChat.historyLimit)
    .map((one, index) => asOverheard(one, first.input.message, index))
    .filter((message) => policy.admits({ message, admission: policy.admissionOf(message) }));
  let chars = 0;
  const tooMuch = earlier.findLastIndex(({ text }) => (chars += text.length) > MAX_CHARS);
  return { ...job, messages: [{ ...first, overheard: [...earlier.slice(tooMuch + 1), ...first.overheard] }, ...more] };
}

function oldestOf(job: InputJob): InputJob["messages"][0]["input"] {
  return inputsOf(job)[0] ?? leadInput(job);
}

function asOverheard(found: HistoryMessage, { origin }: MsgContext, index: number): MsgContext {
  const id = found.messageId ?? messageId(`history-${index}`);
  return {
    origin,
    eventId: id,
    messageId: id,
    timestampMs: found.timestampMs,
    event: { type: "message" },
    sender: { id: found.senderId ?? "", name: found.sender, isBot: found.isBot === true },
    text: found.body,
    mentionsBot: false,
    attachments: [],
  };
}
