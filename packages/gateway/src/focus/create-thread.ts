import type { Origin } from "@factotum/channel-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { SpawnRecord } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { performAction } from "../delivery/rich/perform-action.ts";
import { raceAbort } from "../kernel/race-abort.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { spawnTitle } from "../subagents/spawn-title.ts";

const MAX_NAME_CHARS = 60;

/** The first answer of the sub-agent waits for its thread. */
const TIMEOUT_MS = 20_000;

/** What creating uses. */
interface CreateThreadParts {
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A conversation that is focused already. */
  readonly isTaken: (thread: Origin) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Creates the thread of a sub-agent that stays open, in the group in which a person has asked for it. `undefined` where no thread is made: in a direct conversation,
 * within a thread, for unattended work, for another session, whose words are not the chat's, and where the channel cannot create threads or refuses to.
 */
export async function createThread(
  { report, child, label, task, parentKey }: Pick<SpawnRecord, "report" | "child" | "label" | "task" | "parentKey">,
  { channels, clock, logger, isTaken, signal }: CreateThreadParts,
): Promise<Origin | undefined> {
  const { origin } = report.message;
  const messageId = report.admission.replyTo;
  const { conversation } = origin;
  const channel = channels.channelFor(origin);
  if (channel === undefined || conversation.kind === "direct" || conversation.threadId !== undefined) return undefined;
  const { threads, actions } = channel.capabilities;
  if (threads !== "native" || !actions.includes("thread-create")) return undefined;
  if (child.cause !== undefined && !RUN_POLICY[child.cause].isFromPerson) return undefined;
  if (report.admission.agentToAgent?.step === "message") return undefined;
  const name = spawnTitle({ label, task }, MAX_NAME_CHARS);
  try {
    using limit = new RunDeadline(TIMEOUT_MS, { clock, outer: signal });
    const call = { target: channels.moves.current(origin).target, channel, signal: limit.signal };
    // Where threads begin with a message, it is the one that asked; a second sub-agent finds that taken.
    for (const at of [...(messageId === undefined ? [] : [{ messageId }]), {}]) {
      const asked = performAction({ type: "act", name: "thread-create", parameters: { name, ...at } }, call);
      const created = await raceAbort(asked, { signal: limit.signal, clock });
      const threadId = created.type === "done" ? threadIdOf(created.value) : undefined;
      const thread = threadId === undefined ? undefined : { ...origin, conversation: { ...conversation, threadId } };
      if (thread !== undefined && !isTaken(thread)) return thread;
      const reason = created.type === "done" ? "the thread is another one's" : created.message;
      logger.info("A sub-agent got no thread of its own", { sessionKey: parentKey, reason });
    }
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    logger.warn("The thread of a sub-agent could not be created", { sessionKey: parentKey, error });
    return undefined;
  }
}

function threadIdOf(value: unknown): string | undefined {
  const id = typeof value === "object" && value !== null && "threadId" in value ? value.threadId : undefined;
  return typeof id === "string" ? id : undefined;
}
