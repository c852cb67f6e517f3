import { cutText } from "@factotum/agent-core";
import type { Origin } from "@factotum/channel-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { SpawnRecord } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { performAction } from "../delivery/rich/perform-action.ts";
import { raceAbort } from "../kernel/race-abort.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

const MAX_NAME_CHARS = 60;

/** The first answer of the sub-agent waits for its thread. */
const TIMEOUT_MS = 20_000;

/**
 * Creates the thread of a sub-agent that stays open, in the group in which a person has asked for it. `undefined` where there is none: in a direct conversation,
 * within a thread, for unattended work, and where the channel cannot create threads or refuses to.
 */
export async function createThread(
  { report, child, label, task, parentKey }: Pick<SpawnRecord, "report" | "child" | "label" | "task" | "parentKey">,
  {
    channels,
    clock,
    logger,
    signal,
  }: { readonly channels: ChannelRegistry; readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<Origin | undefined> {
  const { origin } = report.message;
  const { conversation } = origin;
  const channel = channels.channelFor(origin);
  if (channel === undefined || conversation.kind === "direct" || conversation.threadId !== undefined) return undefined;
  const { threads, actions } = channel.capabilities;
  if (threads !== "native" || !actions.includes("thread-create")) return undefined;
  if (child.cause !== undefined && !RUN_POLICY[child.cause].isFromPerson) return undefined;
  const name = cutText((label ?? task).trim().split("\n")[0] ?? "", MAX_NAME_CHARS, "…");
  try {
    using limit = new RunDeadline(TIMEOUT_MS, { clock, outer: signal });
    const target = channels.moves.current(origin).target;
    const asked = performAction({ type: "act", name: "thread-create", parameters: { name } }, { target, channel, signal: limit.signal });
    const created = await raceAbort(asked, { signal: limit.signal, clock });
    if (created.type === "refused") {
      logger.info("A sub-agent has no thread of its own", { sessionKey: parentKey, reason: created.message });
      return undefined;
    }
    const threadId = threadIdOf(created.value);
    return threadId === undefined ? undefined : { ...origin, conversation: { ...conversation, threadId } };
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
