import type { Logger } from "@factotum/agent-contract";
import type { StorageGuard } from "../storage/storage-guard.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { maintenanceBounds } from "./maintenance-bounds.ts";
import type { MaintenanceBounds } from "./maintenance-bounds.ts";
import { pruneSessions } from "./prune-sessions.ts";
import type { PruneOptions, Pruned, PruneTargets } from "./prune-sessions.ts";

/** Between two slices of a pass: messages take precedence. */
const SLICE_PAUSE_MS = 1000;
/** Between two passes: doubled after each that found nothing to do. */
const SHORTEST_REST_MS = 60_000;
const LONGEST_REST_MS = 60 * 60_000;

/** The dependencies of maintenance. */
export interface MaintenancePorts extends PruneTargets {
  /** Work that the shutdown waits for, and whose failure is logged. */
  readonly inBackground: (work: Promise<void>) => void;
}

/** What maintenance works with. */
export interface SessionMaintenanceOptions extends PruneOptions {
  readonly running: RunningConfig;
  readonly storage: StorageGuard;
  readonly logger: Logger;
}

/** Keeps past conversations within `session.maintenance`, a slice at a time and without delaying a turn. */
export class SessionMaintenance implements Disposable {
  readonly #options: SessionMaintenanceOptions;
  readonly #ports: MaintenancePorts;
  #timer: Disposable | undefined;
  #restMs = SHORTEST_REST_MS;
  #pass: { readonly bounds: MaintenanceBounds; readonly slices: AsyncGenerator<void, Pruned> } | undefined;
  #told = "";
  #isStopped = false;

  constructor(options: SessionMaintenanceOptions, ports: MaintenancePorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** The first pass starts after a pause: a start has other work. */
  start(): void {
    this.#schedule(this.#restMs);
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#timer?.[Symbol.dispose]();
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.schedule(delayMs, () => this.#ports.inBackground(this.#work()));
  }

  /** One slice. A failed pass is abandoned, and the next pause is longer. */
  async #work(): Promise<void> {
    // On a full disk nothing can be removed either: the pass continues once there is space.
    if (this.#options.storage.problem !== undefined) return this.#schedule(SHORTEST_REST_MS);
    let isDone = true;
    let hasRemoved = false;
    try {
      this.#pass ??= this.#begin();
      const result = await this.#pass?.slices.next();
      isDone = result?.done !== false;
      if (result?.done === true && this.#pass !== undefined) hasRemoved = this.#report(result.value, this.#pass.bounds);
    } finally {
      if (isDone) {
        this.#pass = undefined;
        this.#restMs = hasRemoved ? SHORTEST_REST_MS : Math.min(2 * this.#restMs, LONGEST_REST_MS);
      }
      this.#schedule(isDone ? this.#restMs : SLICE_PAUSE_MS);
    }
  }

  #begin(): { readonly bounds: MaintenanceBounds; readonly slices: AsyncGenerator<void, Pruned> } | undefined {
    const bounds = maintenanceBounds(this.#options.running.config.session.maintenance);
    return bounds === undefined ? undefined : { bounds, slices: pruneSessions(bounds, this.#ports, this.#options) };
  }

  /** Removals are logged each time; those of a dry run if the amount changed. True if something was removed. */
  #report(pruned: Pruned, { mode }: MaintenanceBounds): boolean {
    const { logger } = this.#options;
    const isAny = pruned.sessions + pruned.conversations > 0;
    if (mode === "enforce") {
      if (isAny) logger.info("Old conversations were removed", { ...pruned });
      return isAny;
    }
    const told = JSON.stringify([pruned.sessions, pruned.conversations]);
    if (isAny && told !== this.#told)
      logger.warn('Old conversations are beyond session.maintenance; they would be removed in the mode "enforce"', { ...pruned });
    this.#told = told;
    return false;
  }
}
