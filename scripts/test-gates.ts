// Proves the gates of `npm test`: breaks one rule at a time in a copy of the working tree and expects the gate that guards it, and no
// other, to fail for that reason. The scaffolds are held against the same gates: what they write must pass all of them. The
// end-to-end tests are left out: they drive the built product and know no rule of the sources. Of the unit tests those of the package
// run in which the violation lies.

import { RepositoryCopy } from "./test-gates/repository-copy.ts";
import { VIOLATIONS } from "./test-gates/violations.ts";

const GATES = ["format", "lint", "types", "dead-code", "unit", "build", "api"];

interface Row {
  readonly name: string;
  readonly expected: string;
  readonly failed: string;
  readonly seconds: number;
  readonly problem?: string;
}

interface Attempt {
  readonly name: string;
  /** Whose unit tests run. */
  readonly project: string;
  /** The gate that fails; empty when none does. */
  readonly expected: string;
  readonly says?: RegExp;
  readonly plant: () => void;
}

/** Parts of names: only these violations and scaffolds are tried. */
const only = process.argv.slice(2);
const isWanted = (name: string): boolean => only.length === 0 || only.some((part) => name.includes(part));
const rows: Row[] = [];
const copy = new RepositoryCopy();
const interrupt = (): never => {
  copy.remove();
  process.exit(130);
};
process.once("SIGINT", interrupt).once("SIGTERM", interrupt);

try {
  console.log(`Copy in ${copy.root}`);
  await attempt({ name: "nothing", project: "sandbox", expected: "", plant: () => undefined });
  if (rows[0]?.problem === undefined) {
    for (const { name, project, gate, says, plant } of VIOLATIONS.filter((one) => isWanted(one.name))) {
      await attempt({ name, project, expected: gate, says, plant: () => plant(copy) });
    }
    for (const kind of ["channel", "package"].filter((one) => isWanted(`new ${one}`))) await attempt(scaffold(kind));
  }
} finally {
  copy.remove();
}

console.log("");
console.table(
  Object.fromEntries(
    rows.map(({ name, expected, failed, seconds, problem }) => [name, { expected, failed, seconds, ok: problem === undefined }]),
  ),
);
const wrong = rows.filter(({ problem }) => problem !== undefined);
for (const { name, problem } of wrong) console.log(`\n── ${name}\n${problem}`);
console.log(`${rows.length - wrong.length} passed, ${wrong.length} failed`);
process.exitCode = wrong.length === 0 ? 0 : 1;

async function attempt({ name, project, expected, says, plant }: Attempt): Promise<void> {
  const startedMs = performance.now();
  let problem: string | undefined;
  let failed = "";
  try {
    plant();
    const outcome = await copy.gates(GATES, project);
    failed = outcome.failed.join(", ");
    if (failed !== expected) problem = outcome.output.slice(-8_000);
    else if (says !== undefined && !says.test(outcome.output))
      problem = `It failed, but nothing says ${says}:\n${outcome.output.slice(-8_000)}`;
  } catch (error) {
    problem = error instanceof Error ? error.message : JSON.stringify(error);
  }
  copy.reset();
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
  rows.push({ name, expected, failed, seconds, ...(problem === undefined ? {} : { problem }) });
  console.log(
    `${problem === undefined ? "ok    " : "FAILED"} ${name}: ${failed === "" ? "no gate failed" : `${failed} failed`} (${seconds} s)`,
  );
}

/** A new package as its template makes it, which every gate must take. */
function scaffold(kind: string): Attempt {
  const folder = kind === "channel" ? "extensions/planted-chat" : "packages/planted-chat";
  return {
    name: `new ${kind}`,
    project: "planted-chat",
    expected: "",
    plant: () => {
      copy.run("scripts/new.ts", kind, "planted-chat");
      copy.install(folder);
    },
  };
}
