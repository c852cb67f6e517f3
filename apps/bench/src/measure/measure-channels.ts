import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PACKAGED_CHANNELS, PLATFORM_SDKS, startFakePlatforms } from "@factotum/testing-channels";
import { installExtension } from "@factotum/testing-product";
import { median } from "../report/percentile.ts";
import type { Plan } from "../plan.ts";
import { comparePairs, type Pair } from "../report/compare.ts";
import type { Measurements } from "../report/figures.ts";
import { createProductHome, type ProductHome } from "../sides/product-side.ts";
import { readTreeUsage } from "./process-tree.ts";

const CONNECTED_LIMIT_MS = 60_000;

/** Starts the product with five channels, each on a platform of loopback, and a bare Node that has imported the same SDKs. */
export async function measureChannels(
  rounds: Plan["channels"],
  { provider, entry }: { readonly provider: string; readonly entry: string | undefined },
): Promise<Measurements> {
  await using fakes = await startFakePlatforms();
  await using home = await createProductHome(provider, entry);
  await installExtension(home.folder, ...PACKAGED_CHANNELS);
  await home.run("config", "set", "channels", JSON.stringify(fakes.channels));
  await using plain = await createProductHome(provider, entry);
  const starts: Pair[] = [];
  for (let round = 0; round < rounds.starts; round += 1) {
    const without = await plain.start();
    await without.product.end("SIGKILL");
    const side = await home.start();
    starts.push({ product: side.readyAfterMs, floor: without.readyAfterMs });
    await untilConnected(home, Object.keys(fakes.channels));
    await side.product.end("SIGKILL");
  }
  const product: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds.idle; round += 1) {
    const side = await home.start();
    await untilConnected(home, Object.keys(fakes.channels));
    await using sdks = await startBare();
    await delay(rounds.idleMs);
    product.push(readTreeUsage(side.pid).memoryMiB);
    bare.push(readTreeUsage(sdks.pid).memoryMiB);
    await side.product.end("SIGKILL");
  }
  return {
    ...(starts.length > 0 && { channelsStart: comparePairs("channelsStart", starts) }),
    channelsMemory: { value: median(product), floor: median(bare) },
    channelsExcess: { value: median(product) - median(bare) },
  };
}

/** Resolves once every channel is connected: only then everything that an idle channel needs is loaded. */
async function untilConnected(home: ProductHome, channels: readonly string[]): Promise<void> {
  const deadline = performance.now() + CONNECTED_LIMIT_MS;
  for (;;) {
    const text = await home.run("channels", "status");
    if (channels.every((id) => text.includes(`${id}/default: connected`))) return;
    if (performance.now() > deadline) throw new Error(`Not all channels are connected:\n${text}`);
  }
}

/** A Node without TypeScript, which has imported the SDKs and nothing else. */
async function startBare(): Promise<AsyncDisposable & { readonly pid: number }> {
  const imports = Object.entries(PLATFORM_SDKS).flatMap(([id, names]) => {
    const parent = new URL(`../../../../extensions/${id}/src/index.ts`, import.meta.url).href;
    return names.map((name) => `await import(import.meta.resolve(${JSON.stringify(name)}, ${JSON.stringify(parent)}));`);
  });
  const program = [...imports, 'process.stdout.write("ready");', "setInterval(() => {}, 2 ** 30);"].join("\n");
  const child = spawn(process.execPath, ["--experimental-import-meta-resolve", "--input-type=module", "--eval", program], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`The bare process ended with ${code}.`))),
  ]);
  return {
    pid: child.pid ?? -1,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
