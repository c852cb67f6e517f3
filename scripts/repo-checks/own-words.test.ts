import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseModule } from "../source/parse-module.ts";
import { trackedFiles } from "../source/tracked-files.ts";
import { commonRuns, indexRuns } from "../source/word-runs.ts";
import { ROOT } from "../workspace.ts";

/** The texts that describe the field, beside the repository. They are not part of it; every prompt and document of ours is written anew. */
const SEEDS = join(ROOT, "../shared/seeds");

/** Names of the field, which mean something as they are and may stand beside each other. */
const PROTOCOL_TOKENS = [
  "NO_REPLY",
  "HEARTBEAT_OK",
  "REPLY_SKIP",
  "ANNOUNCE_SKIP",
  "__SILENT__",
  "[[reply_to_current]]",
  "[[audio_as_voice]]",
  "AGENTS.md",
  "SOUL.md",
  "TOOLS.md",
  "IDENTITY.md",
  "USER.md",
  "HEARTBEAT.md",
  "BOOTSTRAP.md",
  "MEMORY.md",
  "SKILL.md",
  "<available_skills>",
  "<skill>",
  "<name>",
  "<description>",
  "<location>",
];

const isTest = (file: string): boolean => /\.test(-d)?\.tsx?$|\/(test|e2e|fixtures|__snapshots__)\/|^packages\/testing-/.test(file);
const prose = trackedFiles("*.md", "*.html", "*.json5").filter((file) => !isTest(file) || /\/fixtures\/.*\.md$/.test(file));
const code = trackedFiles("*.ts", "*.tsx", "*.mjs").filter((file) => !isTest(file));

describe("runs of words", () => {
  const seed = indexRuns(["The quick brown fox jumps over the lazy dog.", "从前有一座山，山里有一座庙，庙里有一个老和尚"], PROTOCOL_TOKENS);

  test("eight words in a row are found, whatever stands between them", () => {
    expect(commonRuns("A quick Brown\nfox, jumps `over` THE lazy dog", seed, PROTOCOL_TOKENS)).toEqual([
      "quick brown fox jumps over the lazy dog",
    ]);
    expect(commonRuns("The quick brown fox jumps over the cat", seed, PROTOCOL_TOKENS)).toEqual([]);
  });

  test("twelve Chinese characters in a row are found", () => {
    expect(commonRuns("说：山里有一座庙，庙里有一个老和尚。", seed, PROTOCOL_TOKENS).length).toBeGreaterThan(0);
    expect(commonRuns("山里有一座庙，庙里有一只老猫", seed, PROTOCOL_TOKENS)).toEqual([]);
  });

  test("tokens of the protocol do not count", () => {
    const files = indexRuns(["AGENTS.md SOUL.md TOOLS.md IDENTITY.md USER.md HEARTBEAT.md BOOTSTRAP.md MEMORY.md"], PROTOCOL_TOKENS);
    expect(
      commonRuns("AGENTS.md, SOUL.md, TOOLS.md, IDENTITY.md, USER.md, HEARTBEAT.md, BOOTSTRAP.md, MEMORY.md", files, PROTOCOL_TOKENS),
    ).toEqual([]);
  });
});

// Elsewhere than beside those texts there is nothing to compare with; that the check ran is said by the number of passed tests.
describe.skipIf(!existsSync(SEEDS))("every text of ours is in our own words (skipped without ../shared/seeds)", () => {
  const seeds = existsSync(SEEDS) ? readdirSync(SEEDS).map((file) => readFileSync(join(SEEDS, file), "utf8")) : [];
  const index = indexRuns(seeds, PROTOCOL_TOKENS);

  test("there is enough to compare", () => {
    expect(seeds.length).toBeGreaterThanOrEqual(5);
    expect(index.size).toBeGreaterThan(10_000);
    expect(prose.length).toBeGreaterThan(30);
    expect(code.length).toBeGreaterThan(300);
  });

  test("documents, prompts and templates", () => {
    expect(prose.flatMap((file) => found(file, [readFileSync(join(ROOT, file), "utf8")]))).toEqual([]);
  });

  test("strings and comments of the sources", () => {
    const copied = code.flatMap((file) => {
      const { literals, comments } = parseModule(file, readFileSync(join(ROOT, file), "utf8"));
      return found(
        file,
        [...literals, ...comments].map(({ text }) => text),
      );
    });
    expect(copied).toEqual([]);
  });

  const found = (file: string, texts: readonly string[]): string[] =>
    texts.flatMap((text) => commonRuns(text, index, PROTOCOL_TOKENS)).map((run) => `${file}: ${run}`);
});
