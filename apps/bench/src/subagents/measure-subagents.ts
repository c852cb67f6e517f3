import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { Measurements } from "../report/figures.ts";
import { percentile } from "../report/percentile.ts";
import type { Side } from "../sides/side.ts";
import { TurnClient } from "../sides/turn-client.ts";
import { MODEL_ID, PLAIN_MESSAGE, TOOL_FILE } from "../sides/wire.ts";
import { handOut, startBusyProvider } from "./busy-provider.ts";

/** Sub-agents that work while the conversation is measured. */
const AT_ONCE = 50;
/** How long the model takes for an answer: with one that answers at once only the processor would be measured. */
const ANSWER_MS = 300;
const TURNS = { rounds: 3, perRound: 20 };
/** Before and between the measurements of memory, in messages with `AT_ONCE` tasks each. */
const SPAWNS = { before: 2, between: 20 };
const PROBE = pathToFileURL(fileURLToPath(new URL("../memory-probe.ts", import.meta.url))).href;
const LIMIT_MS = 180_000;

/** A conversation while its sub-agents work, against the same one without; and what many sub-agents leave in memory. */
export async function measureSubagents(options: {
  readonly entry: string | undefined;
  readonly onStep: (step: string) => void;
}): Promise<Measurements> {
  options.onStep(`turns while ${AT_ONCE} sub-agents work`);
  const turns = await measureTurns(options.entry);
  options.onStep(`memory after ${SPAWNS.between * AT_ONCE} sub-agents`);
  return { ...turns, ...(await measureMemory(options.entry)) };
}

async function measureTurns(entry: string | undefined): Promise<Measurements> {
  await using provider = await startBusyProvider({ answerMs: ANSWER_MS });
  await using product = await start(provider.baseUrl, entry);
  const side = sideOf(product);
  const [busy, idle]: [number[], number[]] = [[], []];
  for (let round = 0; round < TURNS.rounds; round += 1) {
    const session = `parent-${round}`;
    busy.push(...(await measureRound(side, session, handOut(AT_ONCE, "busy"))));
    const working = countOpen(product);
    if (working < AT_ONCE / 2) throw new Error(`Only ${working} sub-agents still worked at the end of a round: it is no valid time.`);
    await command(side, session, "/subagents kill all");
    await until(() => countOpen(product) === 0);
    // The first turn is told what became of them.
    idle.push(...(await measureRound(side, session, PLAIN_MESSAGE)));
  }
  const [value, floor] = [percentile(busy, 0.95), percentile(idle, 0.95)];
  return { subagentTurn: { value, floor, ratio: value / floor }, subagentRatio: { value: value / floor } };
}

/** The times of turns after the first one, which is another one. */
async function measureRound(side: Side, session: string, first: string): Promise<readonly number[]> {
  using client = new TurnClient(side);
  await client.turn(session, first);
  const times: number[] = [];
  for (let turn = 0; turn < TURNS.perRound; turn += 1) times.push(await client.turn(session, PLAIN_MESSAGE));
  return times;
}

async function measureMemory(entry: string | undefined): Promise<Measurements> {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-memory-"));
  const file = path.join(folder, "bytes");
  try {
    await using provider = await startBusyProvider({ answerMs: 0 });
    await using product = await start(provider.baseUrl, entry, { NODE_OPTIONS: `--import=${PROBE}`, BENCH_MEMORY_FILE: file });
    const spawn = async (from: number, messages: number): Promise<void> => {
      for (let index = from; index < from + messages; index += 1) {
        // Kept connections would be closed while the sub-agents work.
        using client = new TurnClient(sideOf(product));
        await client.turn(`parent-${index}`, handOut(AT_ONCE, "quick"));
        await until(() => countOpen(product) === 0);
      }
    };
    await spawn(0, SPAWNS.before);
    const before = await usedBytes(product.pid, file);
    await spawn(SPAWNS.before, SPAWNS.between);
    const after = await usedBytes(product.pid, file);
    return { subagentMemory: { value: (after - before) / 1024 ** 2 } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function start(baseUrl: string, entry: string | undefined, env: Readonly<Record<string, string>> = {}): Promise<Product> {
  const bench = { api: "anthropic-messages", baseUrl, apiKey: "bench", models: [{ id: MODEL_ID }] };
  const product = await startProduct({
    ...(entry === undefined ? {} : { entry }),
    env,
    config: {
      agents: { defaults: { model: `bench/${MODEL_ID}`, subagents: { maxChildren: AT_ONCE } } },
      models: { providers: { bench } },
    },
  });
  const workspace = path.join(product.home, "workspace");
  await mkdir(workspace, { recursive: true });
  await writeFile(path.join(workspace, TOOL_FILE), "One kettle.\n");
  return product;
}

function sideOf({ url, pid, token }: Product): Side {
  const headers = (session: string): Readonly<Record<string, string>> => ({
    authorization: `Bearer ${token}`,
    "x-factotum-session": session,
  });
  return { name: "the product", url, pid, headers, model: "factotum" };
}

async function command(side: Side, session: string, text: string): Promise<void> {
  const response = await fetch(`${side.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...side.headers(session) },
    body: JSON.stringify({ model: side.model, messages: [{ role: "user", content: text }] }),
  });
  if (!response.ok) throw new Error(`${text} was answered with ${response.status}: ${await response.text()}`);
}

/** Sub-agents that have not ended, or whose end was not reported. */
function countOpen({ home }: Pick<Product, "home">): number {
  using database = new DatabaseSync(path.join(home, "state", "factotum.sqlite"), { readOnly: true });
  const [row] = database.prepare("SELECT count(*) AS open FROM spawns WHERE announced_at IS NULL").all();
  return Number(row?.["open"]);
}

async function until(isReached: () => boolean): Promise<void> {
  for (const startedAt = performance.now(); !isReached(); await delay(50))
    if (performance.now() - startedAt > LIMIT_MS) throw new Error("The sub-agents did not end in time.");
}

/** Bytes in use after a collection. */
async function usedBytes(pid: number, file: string): Promise<number> {
  // Ended turns leave timers and connections for a moment.
  await delay(3_000);
  await rm(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const startedAt = performance.now(); performance.now() - startedAt < LIMIT_MS; await delay(50)) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
  }
  throw new Error("The process does not tell its memory.");
}
