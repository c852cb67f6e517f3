import type { MsgContext } from "@factotum/channel-contract";
import type { InputRecord } from "@factotum/store";
import { raceAbort } from "../kernel/race-abort.ts";
import { leadInput, withMessages } from "../queue/turn-job.ts";
import type { InputJob, GatheredMessage } from "../queue/turn-job.ts";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { isHostText } from "../run-policy/input-traits.ts";
import { fetchHistory, mayFetchHistory, withHistory } from "./fetch-history.ts";
import type { HistoryParts } from "./fetch-history.ts";

/** A reply waits for names at most this long; later ones are used for the next message. */
const TIMEOUT_MS = 3_000;

interface ContextParts {
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Adds the platform's context to the messages of a job: names of senders, the group's subject, quoted and forwarded texts, the thread. All of it is display text; ids, addresses and
 * the body stay as committed. With `begins`, a job that begins the session of a group or thread also gets the messages before it. Never rejects: what does not arrive in time is
 * omitted.
 */
export async function withFetchedContext(
  job: InputJob,
  parts: ContextParts,
  { signal, begins }: { readonly signal: AbortSignal; readonly begins?: { readonly sessionKey: string; readonly parts: HistoryParts } },
): Promise<InputJob> {
  const first = begins !== undefined && mayFetchHistory(job, begins.parts) ? begins : undefined;
  if (first === undefined && !fetchesContext(job, parts.channels)) return job;
  const limit = new AbortController();
  using _timer = parts.clock.schedule(TIMEOUT_MS, () => limit.abort());
  const options = { signal: AbortSignal.any([signal, limit.signal]) };
  const fetchInput = async (input: InputRecord): Promise<InputRecord> => ({
    ...input,
    message: await fetchMessage(input.message, parts, options),
  });
  const fetchSaid = async ({ input, overheard, ...rest }: GatheredMessage): Promise<GatheredMessage> => {
    const [complete, ...earlier] = await Promise.all([
      fetchInput(input),
      // Their quotes are not shown.
      ...overheard.map(async ({ replyTo: _quote, ...message }) => fetchMessage(message, parts, options)),
    ]);
    return { ...rest, input: complete, overheard: earlier };
  };
  const [messages, overflow, history] = await Promise.all([
    Promise.all(job.messages.map(fetchSaid)),
    Promise.all(job.overflow.map(fetchInput)),
    first === undefined ? [] : fetchHistory(first.sessionKey, job, first.parts, options),
  ]);
  const complete = withMessages(job, messages, overflow) ?? job;
  return first === undefined ? complete : withHistory(complete, history, first.parts);
}

/** True if a channel can fetch context for a message of the job. */
function fetchesContext(job: InputJob, channels: ChannelRegistry): boolean {
  const fetches = ({ origin }: MsgContext): boolean => channels.channelFor(origin)?.capabilities.fetchesContext === true;
  return (
    !isHostText(leadInput(job).admission) &&
    (job.messages.some(({ input, overheard }) => fetches(input.message) || overheard.some(fetches)) ||
      job.overflow.some(({ message }) => fetches(message)))
  );
}

async function fetchMessage(
  message: MsgContext,
  { channels, clock, logger }: ContextParts,
  { signal }: { readonly signal: AbortSignal },
): Promise<MsgContext> {
  const channel = channels.channelFor(message.origin);
  if (channel?.capabilities.fetchesContext !== true) return message;
  try {
    const found = await raceAbort(channel.fetchContext(message, { signal }), { signal, clock });
    const { senderName, group, replyTo, thread, forwarded } = found;
    return {
      ...message,
      ...(senderName === undefined ? {} : { sender: { ...message.sender, name: senderName } }),
      ...(group === undefined ? {} : { group: { ...message.group, ...group } }),
      ...withoutUndefined({ replyTo, thread, forwarded }),
    };
  } catch (error) {
    // It did not come in time, or the turn was stopped.
    if (error !== signal.reason) logger.warn("What surrounds a message could not be fetched", { channel: message.origin.channel, error });
    return message;
  }
}
