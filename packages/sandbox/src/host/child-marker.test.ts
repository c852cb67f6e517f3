import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { MARKED_START, markerOf, withMarker } from "./child-marker.ts";
import { listProcesses } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";

const ID = "0f8b3c1e-7a55-4d1c-9a43-2f6d2c1b9e77";

test.runIf(process.platform === "linux")("finds the marked processes among a thousand, and yields in between", async () => {
  const child = spawn("/bin/sh", ["-c", MARKED_START, "sh", markerOf(ID), "", "sh", "-c", "echo begun; cat"]);
  try {
    await once(child.stdout, "data");
    const own = (await listProcesses()).find(({ id }) => id === child.pid);
    if (own === undefined) throw new Error("the process is not in the table");
    const others = Array.from({ length: 1_000 }, (): ProcessRow => ({ ...own, id: process.pid }));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const found = await withMarker([...others, own], ID);
    isOver = true;
    expect(found.map(({ id }) => id)).toEqual([child.pid]);
    // One batch is 64 processes.
    expect(turns).toBeGreaterThan(10);
    expect(await withMarker([own], "ffffffff-ffff-4d1c-9a43-2f6d2c1b9e77")).toEqual([]);
  } finally {
    child.kill("SIGKILL");
  }
});
