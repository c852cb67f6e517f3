import { EventEmitter } from "node:events";
import type { Clock, Random } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { ApprovalRecord, ApprovalStore, InputRecord, NewApproval, TurnRecord } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { createShortCode } from "../kernel/short-code.ts";
import type { RunDeadline } from "../queue/run-deadline.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";

const ID_LENGTH = 6;
/** Two equal ids among those that are stored are rare. */
const MAX_IDS = 5;
const DEFAULT_MINUTES = 30;

/** The run that makes a call. */
export interface AskingRun {
  readonly turn: TurnRecord;
  /** The ids of all inputs of the run so far. */
  readonly inputIds: () => readonly string[];
  /** The same as committed. */
  readonly said: () => readonly InputRecord[];
  readonly signal: AbortSignal;
  readonly deadline: RunDeadline;
  /** Commits what the run has so far. The call must be stored before anybody is asked: after a restart it is asked about again. */
  readonly commit: () => Promise<void>;
}

/** How a wait ended. `settled`: by a person. `parked`: a message came in first. `over`: the run ended. */
export type WaitEnd = "settled" | "parked" | "expired" | "over";

/** Dependencies of waiting calls. */
export interface WaitingCallsOptions {
  readonly store: ApprovalStore;
  readonly running: RunningConfig;
  readonly queue: TurnQueue;
  readonly clock: Clock;
  readonly random: Random;
}

/** The calls whose runs wait for a person. Each is stored, so it waits on after a restart, with the same id. */
export class WaitingCalls {
  readonly #options: WaitingCallsOptions;
  readonly #events = new EventEmitter<{ "waiting-change": [] }>();
  readonly #waiting = new Map<string, { readonly sessionKey: string; readonly end: (end: WaitEnd) => void }>();

  constructor(options: WaitingCallsOptions) {
    this.#options = options;
  }

  /** Calls the listener whenever a call starts or stops waiting. */
  onChange(listener: () => void): Disposable {
    this.#events.on("waiting-change", listener);
    return { [Symbol.dispose]: () => void this.#events.off("waiting-change", listener) };
  }

  /** How many calls wait. */
  get count(): number {
    return this.#waiting.size;
  }

  /** Minutes after which a call ends without an answer. */
  get minutes(): number {
    return this.#options.running.config.tools.approvals?.timeoutMinutes ?? DEFAULT_MINUTES;
  }

  /** Stores a call under a short id. A call that is stored already keeps its row. */
  async request(call: Omit<NewApproval, "id" | "expiresAtMs">): Promise<ApprovalRecord> {
    const { store, clock, random } = this.#options;
    const nowMs = clock.now();
    for (let attempt = 1; ; attempt += 1) {
      const id = createShortCode(random, ID_LENGTH);
      try {
        return await store.requestApproval({ ...call, id, expiresAtMs: nowMs + this.minutes * 60_000 }, { nowMs });
      } catch (error) {
        if (attempt === MAX_IDS || !StoreError.isInstance(error) || error.code !== "conflict") throw error;
      }
    }
  }

  /**
   * Waits until a person has settled a call, or something else ends the wait, and stores that. The time does not count as the run's. `announce` tells the
   * person; it never rejects. Rejects with the reason when the gateway ends: the next start waits again.
   */
  async wait(
    call: ApprovalRecord,
    run: Pick<AskingRun, "signal" | "deadline">,
    announce: () => Promise<void>,
  ): Promise<{ readonly end: WaitEnd; readonly call: ApprovalRecord }> {
    if (call.state !== "pending") return { end: ENDS[call.state] ?? "over", call };
    using _paused = run.deadline.pause();
    const ended = this.#until(call, run.signal);
    // It may reject before it is awaited.
    ended.catch(() => undefined);
    await announce();
    const end = await ended;
    const { store, clock } = this.#options;
    if (end !== "settled") {
      const moved = await store.moveApproval(call.id, { from: ["pending"], to: STATES[end], nowMs: clock.now() });
      if (moved !== undefined) return { end, call: moved };
    }
    // A person may have settled it at the same moment: that counts.
    const settled = await store.readApproval(call.id);
    return settled?.state === "decided" ? { end: "settled", call: settled } : { end: end === "settled" ? "over" : end, call };
  }

  /** A person has settled a call: its run goes on, if it waits. */
  settled(id: string): void {
    this.#waiting.get(id)?.end("settled");
  }

  /** The queue of a session changed: a run that waits there continues with a message that came in. */
  queueChanged(sessionKey: string): void {
    if (this.#options.queue.waitReason(sessionKey) === undefined) return;
    for (const waiter of this.#waiting.values()) if (waiter.sessionKey === sessionKey) waiter.end("parked");
  }

  async #until({ id, sessionKey, expiresAtMs }: ApprovalRecord, signal: AbortSignal): Promise<WaitEnd> {
    const { clock, queue } = this.#options;
    const { promise, resolve } = Promise.withResolvers<WaitEnd>();
    const onAbort = (): void => resolve("over");
    signal.addEventListener("abort", onAbort, { once: true });
    using _expiry = clock.schedule(Math.max(0, expiresAtMs - clock.now()), () => resolve("expired"));
    this.#waiting.set(id, { sessionKey, end: resolve });
    this.#events.emit("waiting-change");
    try {
      if (signal.aborted) resolve("over");
      else if (queue.waitReason(sessionKey) !== undefined) resolve("parked");
      const end = await promise;
      // The turn stays open: the next start asks again.
      if (end === "over" && signal.reason instanceof LaneShutdown) throw signal.reason;
      return end;
    } finally {
      this.#waiting.delete(id);
      this.#events.emit("waiting-change");
      signal.removeEventListener("abort", onAbort);
    }
  }
}

/** The state of a call whose wait ended without a person. */
const STATES: Readonly<Record<Exclude<WaitEnd, "settled">, "parked" | "expired" | "withdrawn">> = {
  parked: "parked",
  expired: "expired",
  over: "withdrawn",
};

/** How the wait ended, for calls that are no longer pending. */
const ENDS: Readonly<Partial<Record<ApprovalRecord["state"], WaitEnd>>> = { decided: "settled", expired: "expired", parked: "parked" };
