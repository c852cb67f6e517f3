import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { noonZone } from "./noon-zone.ts";

/** The built command. */
export const productEntry: string = fileURLToPath(new URL("../../../apps/factotum/dist/factotum.mjs", import.meta.url));

/** Options of a start. */
export interface ProductOptions {
  /** Content of the configuration file; not written by default. */
  readonly config?: unknown;
  /** State directory of an earlier product, to continue with; a new one by default. */
  readonly home?: string;
  /** In addition to a clean environment of PATH, NODE_COMPILE_CACHE, HOME and FACTOTUM_HOME. The developer's own keys are not passed. */
  readonly env?: Readonly<Record<string, string>>;
  /** A free one by default. */
  readonly port?: number;
  /** Another build of the command than this checkout's. */
  readonly entry?: string;
}

/** A product that is ready. */
export interface Product extends AsyncDisposable {
  readonly url: string;
  /** Empty with `gateway.auth.mode: none`. */
  readonly token: string;
  readonly pid: number;
  readonly home: string;
  /** Milliseconds from the start of the process to its first message that it is ready. */
  readonly readyAfterMs: number;
  /** All output so far, both streams. */
  output(): string;
  /** Resolves with how the process ended, by itself or by a signal. */
  readonly ended: Promise<ProductEnd>;
  /** Sends a signal and resolves with how the process ended. The state directory stays. */
  end(signal: "SIGTERM" | "SIGKILL" | "SIGINT"): Promise<ProductEnd>;
}

/** How a process ended. */
export interface ProductEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The product ended before it was ready. */
export class ProductEndedError extends Error implements ProductEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;

  constructor(end: ProductEnd, output: string) {
    super(`The product ended before it was ready (${end.code ?? end.signal}). It printed:\n${output}`);
    this.name = "ProductEndedError";
    this.code = end.code;
    this.signal = end.signal;
  }
}

const READY = /(http:\/\/127\.0\.0\.1:\d+)\/(?:#token=(\S+))?\n/;
const READY_LIMIT_MS = 60_000;

/** Starts the built product and waits until it has printed its address. Disposing kills it and removes its state directory. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const home = options.home ?? (await mkdtemp(path.join(tmpdir(), "factotum-product-")));
  if (options.config !== undefined) {
    await mkdir(home, { recursive: true });
    await writeFile(path.join(home, "factotum.json5"), JSON.stringify(options.config, undefined, 2), { mode: 0o600 });
  }
  const startedAt = performance.now();
  const child = spawn(process.execPath, [options.entry ?? productEntry, "gateway", "run", "--port", String(options.port ?? 0)], {
    env: productEnvironment(home, options.env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collectOutput(child);
  const ended = new Promise<ProductEnd>((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  const ready = await waitUntilReady(child, output);
  const end: Product["end"] = async (signal) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, "exit");
    }
    return { code: child.exitCode, signal: child.signalCode };
  };
  return {
    ...ready,
    pid: child.pid ?? -1,
    home,
    readyAfterMs: performance.now() - startedAt,
    output: output.text,
    ended,
    end,
    [Symbol.asyncDispose]: async () => {
      await end("SIGKILL");
      // Programs that it started may still write for a moment.
      await rm(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** The output of a command, and how it ended. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command of the built product to completion. */
export async function runCommand(
  args: readonly string[],
  options: { readonly home: string; readonly env?: Readonly<Record<string, string>>; readonly entry?: string },
): Promise<CommandOutcome> {
  const child = spawn(process.execPath, [options.entry ?? productEntry, ...args], {
    env: productEnvironment(options.home, options.env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}

/**
 * The time zone of all products that this process starts, since another one would be another prompt. It was noon there when the process began: over midnight of
 * Greenwich, the day of a zone that is chosen later is another one.
 */
export const PRODUCT_ZONE: string = noonZone(Date.now());

function productEnvironment(home: string, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  const given = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name === "NODE_COMPILE_CACHE" || name.startsWith("MALLOC_")),
  );
  // An unused port: a developer's own Ollama must not become the model of a test.
  return { PATH, ...given, HOME: home, LANG: "C.UTF-8", TZ: PRODUCT_ZONE, FACTOTUM_HOME: home, OLLAMA_HOST: "127.0.0.1:9", ...extra };
}

interface Output {
  readonly text: () => string;
  readonly onChange: (listener: () => void) => void;
}

function collectOutput(child: ChildProcess): Output {
  let text = "";
  const listeners: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      for (const listener of listeners) listener();
    });
  }
  return { text: () => text, onChange: (listener) => void listeners.push(listener) };
}

async function waitUntilReady(child: ChildProcess, output: Output): Promise<{ readonly url: string; readonly token: string }> {
  const ready = Promise.withResolvers<{ readonly url: string; readonly token: string }>();
  const limit = setTimeout(
    () => ready.reject(new Error(`The product was not ready in time. It printed:\n${output.text()}`)),
    READY_LIMIT_MS,
  );
  output.onChange(() => {
    const [, url, token = ""] = READY.exec(output.text()) ?? [];
    if (url !== undefined) ready.resolve({ url, token });
  });
  child.once("error", (error) => ready.reject(new Error("The product could not be started. Is it built?", { cause: error })));
  child.once("close", (code, signal) => ready.reject(new ProductEndedError({ code, signal }, output.text())));
  try {
    return await ready.promise;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(limit);
  }
}
