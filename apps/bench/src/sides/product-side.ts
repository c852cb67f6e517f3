import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runCommand, startProduct, type Product } from "@factotum/testing-product";
import { findFreePort, waitUntilReady } from "./readiness.ts";
import type { Side } from "./side.ts";
import { MODEL_ID, TOOL_FILE } from "./wire.ts";

const READY_LIMIT_MS = 60_000;

/** The product, ready. */
interface ProductSide extends Side {
  readonly product: Product;
  /** Milliseconds from the start of the process to the first success of `/readyz`. */
  readonly readyAfterMs: number;
}

/** A state directory created by `setup`, with the fake provider as its model. */
export interface ProductHome extends AsyncDisposable {
  readonly folder: string;
  /** Starts the gateway on it; the caller ends it. */
  start(options?: { readonly env?: Readonly<Record<string, string>> }): Promise<ProductSide>;
  /** Runs one command to completion; resolves with its wall time in milliseconds. */
  timeCommand(...args: readonly string[]): Promise<number>;
  /** Runs one command to completion and returns its output. Rejects if it fails. */
  run(...args: readonly string[]): Promise<string>;
  /** The output of `--version`. */
  readVersion(): Promise<string>;
}

/** Creates a state directory with `setup`. */
export async function createProductHome(providerUrl: string, entry: string | undefined): Promise<ProductHome> {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-bench-"));
  const build = entry === undefined ? {} : { entry };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(args, { home: folder, ...build });
    if (code !== 0) throw new Error(`factotum ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return stdout.trim();
  };
  const provider = { api: "anthropic-messages", baseUrl: providerUrl, apiKey: "bench", models: [{ id: MODEL_ID }] };
  await run("setup");
  await run("config", "set", "models.providers.bench", JSON.stringify(provider));
  await run("config", "set", "agents.defaults.model", `bench/${MODEL_ID}`);
  await writeFile(path.join(folder, "workspace", TOOL_FILE), "One kettle.\n");
  return {
    folder,
    start: async (options = {}) => startSide({ home: folder, ...build, ...options }),
    timeCommand: async (...args) => {
      const startedAt = performance.now();
      await runCommand(args, { home: folder, ...build });
      return performance.now() - startedAt;
    },
    run,
    readVersion: async () => run("--version"),
    [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }),
  };
}

async function startSide(options: {
  readonly home: string;
  readonly entry?: string;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<ProductSide> {
  const port = await findFreePort();
  const starting = startProduct({ ...options, port });
  const [product, readyAfterMs] = await Promise.all([starting, waitUntilReady(`http://127.0.0.1:${port}/readyz`, READY_LIMIT_MS)]);
  return {
    name: "the product",
    url: product.url,
    pid: product.pid,
    headers: (session) => ({ authorization: `Bearer ${product.token}`, "x-factotum-session": session }),
    model: "factotum",
    product,
    readyAfterMs,
  };
}
