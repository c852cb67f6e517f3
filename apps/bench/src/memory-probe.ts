// Preloaded into the gateway: at each SIGUSR2 it collects garbage and writes the bytes that are in use to a file.

import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const file = process.env["BENCH_MEMORY_FILE"];

if (file !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new TypeError("This Node does not hand out its garbage collector.");
  process.on("SIGUSR2", () => {
    collect({ type: "major", flavor: "last-resort" });
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(file, `${heapUsed + external}\n`);
  });
}
