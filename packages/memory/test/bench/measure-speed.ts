import process from "node:process";
import { AGENT, createNoteRig } from "../note-rig.ts";
import { SeededRandom } from "../recall/random.ts";

/** Milliseconds: of the clock, and of processor time, which other work on the machine hardly affects. */
export interface Times {
  readonly wallP50: number;
  readonly wallP95: number;
  readonly cpuP50: number;
  readonly cpuP95: number;
}

/** Times over a large index. */
export interface Speed {
  readonly files: number;
  readonly passages: number;
  readonly search: Times;
  readonly change: Times;
}

const SEARCHES = 300;
const CHANGES = 40;

/** Fills an index with 100 passages a file, and measures searches and the update after one file has changed. */
export async function measureSpeed({ files }: { readonly files: number }): Promise<Speed> {
  const random = new SeededRandom(50);
  await using rig = await createNoteRig({ waitMs: 600_000 });
  for (let index = 0; index < files; index += 1) await rig.put(`memory/topics/${index}.md`, noteOf(random, 100));
  await rig.memory.index({ ...AGENT, rebuild: true });
  const search = await timed(SEARCHES, async () => void (await rig.search(questionOf(random))));
  // As long as a note of a day.
  const change = await timed(
    CHANGES,
    async () => void (await rig.memory.index({ ...AGENT, rebuild: false })),
    async () => void (await rig.put("memory/2026-11-28.md", noteOf(random, 3))),
  );
  const { chunks } = await rig.memory.status(AGENT);
  return { files, passages: chunks, search, change };
}

/** Words by rank, as frequent as in a language: the most frequent one is in nearly every passage. */
const WORDS = 50_000;
/** The most frequent ones are those that a search leaves out. */
const COMMON_WORDS = 60;

function wordOf(random: SeededRandom, from = 1): string {
  // Zipf: the logarithm of the rank is spread evenly.
  const rank = Math.floor(from * (WORDS / from) ** (random.below(1_000_000) / 1_000_000));
  return rank % 2 === 0 ? rank.toString(26).replaceAll(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit))) : hanOf(rank);
}

/** Two characters of the 2,500 most usual ones. */
function hanOf(rank: number): string {
  return String.fromCodePoint(0x4e00 + (rank % 2_500), 0x4e00 + ((Math.floor(rank / 2_500) * 97 + rank * 7) % 2_500));
}

function questionOf(random: SeededRandom): string {
  return Array.from({ length: 3 + random.below(5) }, () => wordOf(random, COMMON_WORDS)).join(" ");
}

/** Sections of 130 words, a passage each. */
function noteOf(random: SeededRandom, sections: number): string {
  const section = (): string => {
    const lines = Array.from({ length: 13 }, () => `- ${Array.from({ length: 10 }, () => wordOf(random)).join(" ")}`);
    return [`## ${wordOf(random)}`, ...lines].join("\n");
  };
  return `${Array.from({ length: sections }, section).join("\n\n")}\n`;
}

async function timed(count: number, work: () => Promise<void>, before: () => Promise<void> = async () => undefined): Promise<Times> {
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let left = count; left > 0; left -= 1) {
    await before();
    const [started, used] = [performance.now(), process.cpuUsage()];
    await work();
    wall.push(performance.now() - started);
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1000);
  }
  return { wallP50: quantile(wall, 0.5), wallP95: quantile(wall, 0.95), cpuP50: quantile(cpu, 0.5), cpuP95: quantile(cpu, 0.95) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
