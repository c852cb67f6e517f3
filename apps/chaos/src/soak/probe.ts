// Loaded into the product before anything else: at each SIGUSR2 it reads what is asked for, collects garbage, and writes what the process holds.

import { ChildProcess } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { Server, Socket } from "node:net";
import path from "node:path";
import { queryObjects, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import type { ProbeQuestion } from "./product-probe.ts";

const folder = process.env["CHAOS_PROBE_FOLDER"];
if (folder !== undefined) listen(folder);

function listen(where: string): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new TypeError("This Node does not hand out its garbage collector.");
  const timer = setTimeout(() => undefined, 0);
  clearTimeout(timer);
  const kinds = { timers: timer.constructor, sockets: Socket, servers: Server, children: ChildProcess, workers: Worker };
  process.on("SIGUSR2", () => {
    const question = readFileSync(path.join(where, "question"), "utf8") as ProbeQuestion;
    collect();
    const { rss, heapUsed, external } = process.memoryUsage();
    const answer =
      question === "memory"
        ? { rss, heapUsed, external }
        : {
            // Objects in the heap, so that timers and handles count that do not keep the process alive.
            ...Object.fromEntries(
              Object.entries(kinds).map(([kind, constructor]) => [kind, queryObjects(constructor, { format: "count" })]),
            ),
            // What keeps it alive.
            handles: process.getActiveResourcesInfo().length,
          };
    writeFileSync(path.join(where, "answer.new"), JSON.stringify(answer));
    renameSync(path.join(where, "answer.new"), path.join(where, "answer"));
  });
}
