import type { Clock } from "@factotum/agent-contract";

/** How often a wake checks whether a busy session has become idle. */
const RETRY_MS = 1000;

/** Dependencies of the waker. */
export interface HeartbeatWakerOptions {
  readonly clock: Clock;
  /** True while events wait for the heartbeat of an agent. */
  readonly hasEvents: (agentId: string) => boolean;
  /** True while the session of an agent's heartbeat is busy, or the heartbeat runs. */
  readonly isBusy: (agentId: string) => boolean;
  /** Makes a heartbeat due. Resolves once its occurrence is stored. */
  readonly beat: (agentId: string) => Promise<void>;
  /** Reports a failure, and is waited for at the end. */
  readonly inBackground: (label: string, work: Promise<unknown>) => void;
}

/** Wakes heartbeats for waiting events: once for all of them, as soon as the session is idle. A turn that shows the events earlier ends the wait. */
export class HeartbeatWaker implements Disposable {
  readonly #options: HeartbeatWakerOptions;
  readonly #waiting = new Map<string, Disposable>();
  #isClosed = false;

  constructor(options: HeartbeatWakerOptions) {
    this.#options = options;
  }

  wake(agentId: string): void {
    const { clock, hasEvents, isBusy, beat, inBackground } = this.#options;
    if (this.#isClosed || this.#waiting.has(agentId) || !hasEvents(agentId)) return;
    if (!isBusy(agentId)) return inBackground("heartbeat", beat(agentId));
    const timer = clock.schedule(RETRY_MS, () => {
      this.#waiting.delete(agentId);
      this.wake(agentId);
    });
    this.#waiting.set(agentId, timer);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const timer of this.#waiting.values()) timer[Symbol.dispose]();
    this.#waiting.clear();
  }
}
