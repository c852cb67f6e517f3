import type { CheckpointService } from "../checkpoints/checkpoint-service.ts";
import { SessionMaintenance } from "../maintenance/session-maintenance.ts";
import type { EngineParts } from "./engine-parts.ts";

const MINUTE_MS = 60_000;
const EXPIRED_AT_ONCE = 100;

/** What the upkeep uses of the layers around it. */
interface UpkeepOptions {
  readonly checkpoints: CheckpointService;
  /** True for sessions that must stay, whatever the limits of maintenance say. */
  readonly keeps: (sessionKey: string) => boolean;
  /** Resolves with whether there was such a session. */
  readonly removeSession: (sessionKey: string) => Promise<boolean>;
  /** Reports a failure, and is waited for at the end. */
  readonly inBackground: (label: string, work: Promise<unknown>) => void;
}

/** Background work on the store: every minute it deletes expired sessions, every hour rows and files past their retention; and the maintenance of sessions. */
export class Upkeep implements Disposable {
  readonly #parts: EngineParts;
  readonly #options: UpkeepOptions;
  readonly #sessions: SessionMaintenance;
  #next: Disposable | undefined;

  constructor(parts: EngineParts, options: UpkeepOptions) {
    const { keeps, removeSession, inBackground } = options;
    this.#parts = parts;
    this.#options = options;
    this.#sessions = new SessionMaintenance(parts, {
      keeps,
      removeSession: async (key) => !keeps(key) && removeSession(key),
      inBackground: (work) => inBackground("session maintenance", work),
    });
  }

  /** Begins; the first work is done a minute later. */
  start(): void {
    this.#schedule(0);
    this.#sessions.start();
  }

  [Symbol.dispose](): void {
    this.#next?.[Symbol.dispose]();
    this.#sessions[Symbol.dispose]();
  }

  #schedule(minute: number): void {
    const { clock, storage, media } = this.#parts;
    const { inBackground } = this.#options;
    this.#next = clock.schedule(MINUTE_MS, () => {
      this.#schedule(minute + 1);
      inBackground("reserve", storage.keepReserve());
      // Removing rows writes, too.
      if (storage.problem !== undefined) return;
      inBackground("expiry", this.#expire());
      inBackground("media", media.store.pruneIfDue());
      if (minute % 60 === 0) inBackground("maintenance", this.#maintain());
    });
  }

  async #maintain(): Promise<void> {
    const { store, steadyNow } = this.#parts;
    for (let more = true; more;) more = await store.maintain({ nowMs: steadyNow() });
    await this.#options.checkpoints.sweep();
  }

  async #expire(): Promise<void> {
    const { store, steadyNow } = this.#parts;
    for (const session of await store.listExpiredSessions(steadyNow(), EXPIRED_AT_ONCE)) await this.#options.removeSession(session.key);
  }
}
