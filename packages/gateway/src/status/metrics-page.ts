import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Engine } from "../engine/engine.ts";
import { waitingToLeave } from "./gateway-status.ts";
import { renderMetrics } from "../observe/render-metrics.ts";
import type { CollectedMetrics } from "../observe/render-metrics.ts";
import type { Sample } from "../observe/tally.ts";

/** Sampling interval of the loop's delay. The timer runs only for gateways that are scraped. */
const LOOP_RESOLUTION_MS = 50;
const NS_PER_SECOND = 1e9;

/** The answer of `GET /metrics`. Created by the first scrape: without scrapes only plain counters are kept. */
export class MetricsPage implements Disposable {
  readonly #engine: Engine;
  readonly #version: string;
  readonly #loop: ReturnType<typeof monitorEventLoopDelay>;

  constructor(engine: Engine, version: string) {
    this.#engine = engine;
    this.#version = version;
    this.#loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
    this.#loop.enable();
  }

  /** The current text. */
  async render(): Promise<string> {
    return renderMetrics(await this.#collect());
  }

  async #collect(): Promise<CollectedMetrics> {
    const { observer, store, channels, dispatcher } = this.#engine.parts;
    const counts = await store.counts();
    return {
      factotum_build_info: [{ labels: { version: this.#version }, value: 1 }],
      ...observer.counted(),
      factotum_inputs: byState({ waiting: counts.inputsWaiting, dead: counts.inputsDead }),
      factotum_queue_depth: one(this.#engine.waitingJobs),
      factotum_turns_running: one(this.#engine.activeTurns),
      factotum_outbox: byState({
        waiting: waitingToLeave(counts.outboxWaiting, dispatcher),
        dead: counts.outboxDead,
        ambiguous: counts.outboxAmbiguous,
      }),
      ...this.#delays(counts.outboxOldestMs),
      factotum_channel_accounts: accountsByState(channels.status()),
      factotum_sessions: one(counts.sessions),
      ...this.#process(),
    };
  }

  #delays(
    oldestMs: number | undefined,
  ): Pick<CollectedMetrics, "factotum_outbox_oldest_seconds" | "factotum_outbox_blocked" | "factotum_outbox_next_try_seconds"> {
    const { clock, dispatcher } = this.#engine.parts;
    const nowMs = clock.now();
    const { blocked } = dispatcher;
    const seconds = (ms: number): readonly Sample[] => one(Math.max(0, ms) / 1000);
    const groups = Object.values(Object.groupBy(blocked, ({ target, reason }) => `${target.channel}\n${codeOf(reason)}`));
    return {
      factotum_outbox_oldest_seconds: seconds(oldestMs === undefined ? 0 : nowMs - oldestMs),
      factotum_outbox_blocked: groups.flatMap((same = []) => {
        const [first] = same;
        return first === undefined ? [] : [{ labels: { channel: first.target.channel, reason: codeOf(first.reason) }, value: same.length }];
      }),
      factotum_outbox_next_try_seconds: seconds(blocked.length === 0 ? 0 : Math.min(...blocked.map(({ nextTryMs }) => nextTryMs)) - nowMs),
    };
  }

  #process(): Pick<CollectedMetrics, Extract<keyof CollectedMetrics, `process_${string}` | `nodejs_${string}`>> {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const loop = this.#loop;
    // Without a sample since the last scrape the histogram's figures are meaningless.
    const delay = (nanoseconds: number): readonly Sample[] => one(loop.count === 0 ? 0 : nanoseconds / NS_PER_SECOND);
    const delays = {
      nodejs_eventloop_lag_p50_seconds: delay(loop.percentile(50)),
      nodejs_eventloop_lag_p99_seconds: delay(loop.percentile(99)),
      nodejs_eventloop_lag_max_seconds: delay(loop.max),
    };
    loop.reset();
    return {
      process_cpu_seconds_total: one((user + system) / 1e6),
      process_resident_memory_bytes: one(rss),
      process_start_time_seconds: one(performance.timeOrigin / 1000),
      nodejs_heap_size_used_bytes: one(heapUsed),
      nodejs_heap_size_total_bytes: one(heapTotal),
      nodejs_external_memory_bytes: one(external),
      ...delays,
    };
  }

  [Symbol.dispose](): void {
    this.#loop.disable();
  }
}

function one(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}

function byState(values: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(values).map(([state, value]) => ({ labels: { state }, value }));
}

/** Account names are the owner's choice and thus no labels: their numbers are reported. */
function accountsByState(accounts: readonly { readonly channel: string; readonly state: string }[]): readonly Sample[] {
  return Object.values(Object.groupBy(accounts, ({ channel, state }) => `${channel}\n${state}`)).flatMap((same = []) => {
    const [first] = same;
    return first === undefined ? [] : [{ labels: { channel: first.channel, state: first.state }, value: same.length }];
  });
}

/** A label's value is from a closed list: the rest of a reason is the platform's own text. */
function codeOf(reason: string): string {
  const code = reason.split(":", 1)[0] ?? "";
  return BLOCK_CODES.has(code) ? code : "other";
}

const BLOCK_CODES: ReadonlySet<string> = new Set([
  "unauthorized",
  "forbidden",
  "not-found",
  "rate-limited",
  "too-long",
  "rejected",
  "unreachable",
  "ambiguous",
  "storage",
]);
