import type { Clock } from "@factotum/agent-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { ApprovalStore, InboxStore, InputRecord, SpawnStore } from "@factotum/store";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import type { PlainReport } from "../subagents/subagent-report.ts";
import { isResult, tellUnheard } from "../subagents/tell-unheard.ts";
import type { SessionCommands } from "../background-commands/session-commands.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { AnswerOrder } from "../delivery/answer-order.ts";
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

/**
 * The work that a stop ended: whether a run was aborted, how many waiting messages were dropped, how many background commands ended, how many calls whose
 * turn had continued without them no longer wait for the owner, and how many sub-agents ended.
 */
export interface StoppedWork {
  readonly aborted: boolean;
  readonly dropped: number;
  readonly commands: number;
  readonly requests: number;
  readonly subagents: number;
  /** Results of sub-agents that waited, as they were told. */
  readonly results: readonly PlainReport[];
}

/** Nothing was stopped. */
export const NOTHING_STOPPED: StoppedWork = { aborted: false, dropped: 0, commands: 0, requests: 0, subagents: 0, results: [] };

/** Dependencies of the work stopper. */
export interface WorkStopperOptions {
  readonly store: InboxStore & ApprovalStore & SpawnStore;
  readonly clock: Pick<Clock, "now">;
  readonly channels: ChannelRegistry;
  readonly notices: Notices;
  readonly queue: TurnQueue;
  readonly answerOrder: Pick<AnswerOrder, "drop">;
  readonly events: SessionEvents;
  readonly watchers: InputWatchers;
  readonly sessionCommands: Pick<SessionCommands, "endSession">;
  readonly subagents: Pick<SessionSubagents, "endSession" | "takeHeld">;
}

/** Stops the work of sessions, for `/stop`, resets, deletions and aborts by clients. */
export class WorkStopper {
  readonly #options: WorkStopperOptions;

  constructor(options: WorkStopperOptions) {
    this.#options = options;
  }

  /**
   * Aborts the current run (only if it is `runId`, when given) and, if `queued`, drops waiting messages; results of sub-agents that wait are told to their chat
   * unchanged, and so are those that wait for other sub-agents which it ends. `by` is the message that asked for it: its sender is notified by the result, the
   * senders of other dropped messages by a notice. Without `by` a client of the gateway asked, and every sender on a channel is notified.
   */
  async stop(
    sessionKey: string,
    options: {
      readonly runId?: string;
      readonly queued: boolean;
      /** Ends the session's background commands too, and withdraws the calls that its turns have gone on without. */
      readonly endsCommands?: true;
      /** Ends its sub-agents too, and what they have started. */
      readonly endsSubagents?: true;
      readonly reason: string;
      readonly by?: MsgContext;
      /** Stops only the work ahead of this job, not the job itself. */
      readonly before?: TurnJob;
    },
  ): Promise<StoppedWork> {
    const { events, sessionCommands } = this.#options;
    const { by, before } = options;
    if (options.runId !== undefined && events.live(sessionKey)?.runId !== options.runId) return NOTHING_STOPPED;
    const commands = options.endsCommands === true ? sessionCommands.endSession(sessionKey) : 0;
    const { queue, answerOrder, subagents: trees } = this.#options;
    const held = options.queued || options.endsSubagents === true ? trees.takeHeld(sessionKey) : [];
    const withdraw = async (): Promise<number> => (options.endsCommands === true ? this.#withdrawCalls(sessionKey) : 0);
    if (before !== undefined && queue.lanes.current(sessionKey) === before) {
      const requests = await withdraw();
      return { ...NOTHING_STOPPED, commands, requests, results: await this.#tellResults(sessionKey, held, options.reason) };
    }
    // What is stopped is decided before anything is awaited: messages behind the stop stay.
    const taken = options.queued ? [...queue.dropInputs(sessionKey, before), ...answerOrder.drop(sessionKey)] : [];
    const dropped = taken.filter((input) => !isResult(input));
    const current = queue.lanes.current(sessionKey);
    const notifiesSender = current !== undefined && current.type !== "task" && !this.#isSeenBy(originOf(current), by);
    const aborted = queue.lanes.abort(sessionKey, new LaneAbort(options.reason, { notifiesSender }));
    const requests = await withdraw();
    const own = dropped.filter((input) => this.#isOwn(input, by));
    await this.#options.notices.endStopped(sessionKey, own, options.reason);
    for (const input of dropped) if (!own.includes(input)) await this.#options.notices.drop(sessionKey, input, DROPPED.stopped);
    const results = await this.#tellResults(sessionKey, [...held, ...taken.filter(isResult)], options.reason);
    const subagents = options.endsSubagents === true ? await trees.endSession(sessionKey) : 0;
    return { aborted, dropped: dropped.length, commands, requests, subagents, results };
  }

  /** Resolves with what was told. */
  async #tellResults(sessionKey: string, inputs: readonly InputRecord[], reason: string): Promise<readonly PlainReport[]> {
    const { store, notices, watchers } = this.#options;
    const told: PlainReport[] = [];
    for (const input of inputs) {
      const report = await tellUnheard(sessionKey, input, { reason, store, notices, watchers });
      if (report !== undefined) told.push(report);
    }
    return told;
  }

  /** A call that a turn still waits for ends with that turn. */
  async #withdrawCalls(sessionKey: string): Promise<number> {
    const { store, clock } = this.#options;
    const parked = (await store.listApprovals(["parked"])).filter((approval) => approval.sessionKey === sessionKey);
    for (const { id } of parked) await store.moveApproval(id, { from: ["parked"], to: "withdrawn", nowMs: clock.now() });
    return parked.length;
  }

  /** True if an input is from the person who asked for the stop, or unattended. */
  #isOwn({ message, admission }: InputRecord, by: MsgContext | undefined): boolean {
    if (!RUN_POLICY[admission.kind].isAttended) return true;
    return by === undefined ? isOwnAddress(message.origin, this.#options.channels) : isSaidBy(message, by);
  }

  /** True if the end of the turn is visible to its sender anyway: in the conversation that stopped it, or to a client that reads the transcript. */
  #isSeenBy(origin: Origin, by: MsgContext | undefined): boolean {
    return isOwnAddress(origin, this.#options.channels) || (by !== undefined && conversationKey(origin) === conversationKey(by.origin));
  }
}

function isSaidBy(message: MsgContext, by: MsgContext): boolean {
  return message.sender.id === by.sender.id && conversationKey(message.origin) === conversationKey(by.origin);
}
