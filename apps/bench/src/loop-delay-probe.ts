// Preloaded into the gateway: writes the event loop's delay to a file at each SIGUSR2, and resets the histogram.

import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const file = process.env["BENCH_LOOP_DELAY_FILE"];
const RESOLUTION_MS = 1;

if (file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  process.on("SIGUSR2", () => {
    // The histogram includes the timer's own period.
    const beyond = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    writeFileSync(file, `${JSON.stringify({ p99Ms: beyond(delays.percentile(99)), maxMs: beyond(delays.max) })}\n`);
    delays.reset();
  });
}
