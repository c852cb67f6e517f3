import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { InboxStore, InputRecord } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { isOwnAddress } from "../delivery/plan-message.ts";
import type { SessionEvents } from "../events/session-events.ts";
import { conversationKey } from "../kernel/conversation-key.ts";
import { LaneAbort } from "../kernel/lane-abort.ts";
import { DROPPED } from "../notices/notices.ts";
import type { Notices } from "../notices/notices.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import { originOf } from "../queue/turn-job.ts";
import type { TurnJob } from "../queue/turn-job.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** What a stop has ended: the run, and how many messages that waited. */
export interface EndedWork {
  readonly aborted: boolean;
  readonly dropped: number;
}

/** No work. */
export const NOTHING_ENDED: EndedWork = { aborted: false, dropped: 0 };

/** What work of sessions is stopped with. */
export interface WorkStopperOptions {
  readonly store: InboxStore;
  readonly channels: ChannelRegistry;
  readonly notices: Notices;
  readonly queue: TurnQueue;
  readonly events: SessionEvents;
  readonly watchers: InputWatchers;
}

/** Stops the work of sessions: for `/stop`, and for all else that ends a run, such as a reset, a deletion and a client's abort. */
export class WorkStopper {
  readonly #options: WorkStopperOptions;

  constructor(options: WorkStopperOptions) {
    this.#options = options;
  }

  /**
   * Ends the run, or only the named one, and drops what waits if asked. Who asked, `by`, hears how many were dropped; the senders of others are told.
   * Without `by` one of the gateway's own clients asked: everybody is told who said something on a channel.
   */
  async stop(
    sessionKey: string,
    options: {
      readonly runId?: string;
      readonly queued: boolean;
      readonly reason: string;
      readonly by?: MsgContext;
      /** Only what comes before this job, which is not ended itself. */
      readonly before?: TurnJob;
    },
  ): Promise<EndedWork> {
    const { events } = this.#options;
    const { by, before } = options;
    if (options.runId !== undefined && events.live(sessionKey)?.runId !== options.runId) return NOTHING_ENDED;
    if (before !== undefined && this.#options.queue.lanes.current(sessionKey) === before) return NOTHING_ENDED;
    const dropped = options.queued ? this.#options.queue.dropInputs(sessionKey, before) : [];
    const current = this.#options.queue.lanes.current(sessionKey);
    const tellsSender = current !== undefined && current.type !== "task" && !this.#isSeenBy(originOf(current), by);
    const aborted = this.#options.queue.lanes.abort(sessionKey, new LaneAbort(options.reason, { tellsSender }));
    const own = dropped.filter((input) => this.#isOwn(input, by));
    await this.#options.notices.endStopped(sessionKey, own, options.reason);
    for (const input of dropped) if (!own.includes(input)) await this.#options.notices.drop(sessionKey, input, DROPPED.stopped);
    return { aborted, dropped: dropped.length };
  }

  /** Whether an input is of the person who asked, or of a run whose answer no person waits for. */
  #isOwn({ message, admission }: InputRecord, by: MsgContext | undefined): boolean {
    if (!RUN_POLICY[admission.kind].isAttended) return true;
    return by === undefined ? isOwnAddress(message.origin, this.#options.channels) : isSaidBy(message, by);
  }

  /** Whether the end of a turn shows where it was asked for: in the conversation that stopped it, or to a client that reads the transcript. */
  #isSeenBy(origin: Origin, by: MsgContext | undefined): boolean {
    return isOwnAddress(origin, this.#options.channels) || (by !== undefined && conversationKey(origin) === conversationKey(by.origin));
  }
}

function isSaidBy(message: MsgContext, by: MsgContext): boolean {
  return message.sender.id === by.sender.id && conversationKey(message.origin) === conversationKey(by.origin);
}
