import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const PROBE_URL = new URL("./probe.ts", import.meta.url).href;

/** Polling interval of an answer, and its timeout. */
const LOOK_MS = 5;
const ANSWER_LIMIT_MS = 60_000;

/** Queries of the probe in the product. */
export type ProbeQuestion = "memory" | "collected memory" | "objects" | "handles";

/** Memory in bytes. */
export interface MemorySample {
  readonly rss: number;
  /** The part of `rss` that is not file-backed: heaps, stacks, compiled code. The rest are pages of the program and of the database. */
  readonly anonymous: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** Counts of each kind of object that the process holds: in the heap, and in the kernel. */
export type Resources = Readonly<Record<string, number>>;

/** Queries a product that was started with its environment. Linux only. */
export class ProductProbe implements AsyncDisposable {
  readonly #folder: string;
  readonly #leakBytes: number;

  private constructor(folder: string, leakBytes: number) {
    this.#folder = folder;
    this.#leakBytes = leakBytes;
  }

  /** `leakBytes` of each request that reaches the product are retained; none by default. */
  static async create({ leakBytes = 0 }: { readonly leakBytes?: number } = {}): Promise<ProductProbe> {
    return new ProductProbe(await mkdtemp(path.join(tmpdir(), "factotum-probe-")), leakBytes);
  }

  /** Environment for the product's start. */
  get environment(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import=${PROBE_URL}`, CHAOS_PROBE_FOLDER: this.#folder, CHAOS_PROBE_LEAK_BYTES: String(this.#leakBytes) };
  }

  /** After a garbage collection that also releases pages, or without one. */
  async memory(pid: number, { isCollected }: { readonly isCollected: boolean }): Promise<MemorySample> {
    return (await this.#ask(pid, isCollected ? "collected memory" : "memory")) as MemorySample;
  }

  /** Object counts of the heap. Stops the product for seconds: it walks the heap for every type. */
  async objects(pid: number): Promise<Resources> {
    return (await this.#ask(pid, "objects")) as Resources;
  }

  /** Counts of the kernel and the event loop. Cheap. */
  async handles(pid: number): Promise<Resources> {
    const inside = (await this.#ask(pid, "handles")) as Resources;
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ")).filter(Boolean);
    return { ...inside, "file descriptors": readdirSync(`/proc/${pid}/fd`).length, "child processes": children.length };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ask(pid: number, question: ProbeQuestion): Promise<unknown> {
    const file = path.join(this.#folder, "answer");
    await rm(file, { force: true });
    await writeFile(path.join(this.#folder, "question"), question);
    process.kill(pid, "SIGUSR2");
    for (const startedAt = performance.now(); performance.now() - startedAt < ANSWER_LIMIT_MS; await delay(LOOK_MS)) {
      const text = await readFile(file, "utf8").catch((error: unknown): undefined => {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw error;
      });
      if (text !== undefined) return JSON.parse(text);
    }
    throw new Error("The product does not tell what it holds.");
  }
}
