import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trackedFiles } from "../source/tracked-files.ts";
import { ROOT } from "../workspace.ts";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** The rows of docs/rules.md: number, owner, proof. */
const rules = [...read("docs/rules.md").matchAll(/^\| R(\d+) [^|]+\|[^|]+\|([^|]+)\|([^|]+)\|$/gm)].map(([, number, owner, proof]) => ({
  number: Number(number),
  hasOwner: owner?.trim() !== "",
  hasProof: proof?.trim() !== "",
}));

/** Sources and documents, without fixtures and generated declarations. */
const texts = trackedFiles("*.ts", "*.tsx", "*.mjs", "*.md").filter((file) => !/(^|\/)(fixtures|__snapshots__)\/|\.gen\.ts$/.test(file));

test("rules are numbered without a gap", () => {
  expect(rules.map(({ number }) => number)).toEqual(rules.map((_, index) => index + 1));
  expect(rules.length).toBeGreaterThanOrEqual(30);
});

test("a rule has an owner and a proof, or neither yet", () => {
  expect(rules.filter(({ hasOwner, hasProof }) => hasOwner !== hasProof)).toEqual([]);
});

test("every rule that a comment, a test or a document names is in docs/rules.md", () => {
  const known = new Set(rules.map(({ number }) => number));
  const named = texts.flatMap((file) =>
    [...read(file).matchAll(/(?<=[(,] ?)R(\d{1,2})(?=[),])/g)].map(([, number]) => ({ file, number: Number(number) })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ number }) => !known.has(number))).toEqual([]);
});

test("nothing points to a document outside of the repository", () => {
  const outside = texts.filter((file) => file !== "scripts/repo-checks/rules.test.ts" && /\bdesign 0\d|\bseed 00\d|§\d/.test(read(file)));
  expect(outside).toEqual([]);
});
