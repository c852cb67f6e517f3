import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Measurements } from "../report/figures.ts";
import { comparePairs, type Pair } from "../report/compare.ts";
import type { ProductHome } from "../sides/product-side.ts";

/** Times commands against a Node process that does nothing. The gateway is up for the first `status` and down for the second. */
export async function measureCommands(home: ProductHome, rounds: number): Promise<Measurements> {
  const time = async (...args: string[]): Promise<Pair[]> => {
    const pairs: Pair[] = [];
    for (let round = 0; round < rounds; round += 1) pairs.push({ floor: await timeBareNode(), product: await home.timeCommand(...args) });
    return pairs;
  };
  const version = comparePairs("version", await time("--version"));
  const statusDown = comparePairs("statusDown", await time("status"));
  const side = await home.start();
  try {
    return { version, statusDown, statusUp: comparePairs("statusUp", await time("status")) };
  } finally {
    await side.product.end("SIGKILL");
  }
}

async function timeBareNode(): Promise<number> {
  const startedAt = performance.now();
  await once(spawn(process.execPath, ["--eval", "0"], { stdio: "ignore" }), "close");
  return performance.now() - startedAt;
}
