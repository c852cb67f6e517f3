// Preloaded into the product: at each SIGUSR2 it reads the query, collects garbage like the idle product, and writes what the process holds.

import { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Server, Socket } from "node:net";
import path from "node:path";
import { queryObjects, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import type { MemorySample, ProbeQuestion } from "./product-probe.ts";

const folder = process.env["CHAOS_PROBE_FOLDER"];
if (folder !== undefined) {
  listen(folder);
  leak(Number(process.env["CHAOS_PROBE_LEAK_BYTES"] ?? 0));
}

/** Resident memory, page by page if the kernel can tell: the counters behind `process.memoryUsage` lag on every processor. */
function readResident(): Pick<MemorySample, "rss" | "anonymous"> {
  const pages = "/proc/self/smaps_rollup";
  if (!existsSync(pages)) {
    const { rss } = process.memoryUsage();
    return { rss, anonymous: rss };
  }
  const rows = new Map(
    readFileSync(pages, "utf8")
      .split("\n")
      .map((row) => [row.split(":")[0], Number.parseInt(row.split(":")[1] ?? "", 10) * 1024]),
  );
  return { rss: rows.get("Rss") ?? Number.NaN, anonymous: rows.get("Anonymous") ?? Number.NaN };
}

/** Retains this many bytes of each request, to show that a soak finds a leak. */
function leak(bytes: number): void {
  if (bytes === 0) return;
  const held: number[][] = [];
  subscribe("http.server.request.start", () => held.push(Array.from({ length: Math.ceil(bytes / 8) }, () => 0)));
}

function listen(where: string): void {
  // Compiled code is memory too. Each collection ages code that did not run since the previous one, and a sample makes several: V8 would flush all of it and
  // compile again. And its last compiler tier would reach code that runs once per turn only after thousands of turns: the line would follow the compiler, which
  // would also take a third of the time.
  setFlagsFromString("--no-flush-bytecode");
  setFlagsFromString("--no-turbofan");
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new TypeError("This Node does not hand out its garbage collector.");
  const timer = setTimeout(() => undefined, 0);
  clearTimeout(timer);
  const kinds = { timers: timer.constructor, sockets: Socket, servers: Server, children: ChildProcess, workers: Worker };
  const memory = (): MemorySample => {
    const { heapUsed, external } = process.memoryUsage();
    return { ...readResident(), heapUsed, external };
  };
  const answers: Readonly<Record<ProbeQuestion, () => unknown>> = {
    memory,
    "collected memory": memory,
    // Objects in the heap, so that timers and handles count that do not keep the process alive. The heap is walked once for each type.
    objects: () =>
      Object.fromEntries(Object.entries(kinds).map(([kind, constructor]) => [kind, queryObjects(constructor, { format: "count" })])),
    // Active handles.
    handles: () => ({ handles: process.getActiveResourcesInfo().length }),
  };
  process.on("SIGUSR2", () => {
    const question = readFileSync(path.join(where, "question"), "utf8") as ProbeQuestion;
    if (question === "collected memory" || question === "objects") collect({ type: "major", flavor: "last-resort" });
    const answer = answers[question]();
    writeFileSync(path.join(where, "answer.new"), JSON.stringify(answer));
    renameSync(path.join(where, "answer.new"), path.join(where, "answer"));
  });
}
