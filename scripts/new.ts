// pnpm new channel <name> [--transport webhook|polling|connection] | pnpm new package <name>

import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { isTransport, TRANSPORTS } from "../packages/create-factotum-channel/src/index.ts";
import { isScaffoldKind, scaffold, ScaffoldError, type ScaffoldKind } from "./new/scaffold.ts";
import { ROOT } from "./workspace.ts";

const USAGE = `Usage: pnpm new channel <name> [--transport ${TRANSPORTS.join("|")}]\n       pnpm new package <name>`;

const NEXT: Readonly<Record<ScaffoldKind, readonly string[]>> = {
  channel: [
    "npx pnpm install",
    "Replace the sample platform: the wire format in src/inbound, src/outbound, src/transport and src/api; the fake server in test/.",
    "Say in src/capabilities.ts what the platform can do; src/conformance.test.ts then asks for it:",
    "  npx pnpm exec vitest run --project <name>",
    "Name the channel in apps/factotum/src/compose/extensions.ts, with the extension as a devDependency of apps/factotum.",
    "npm test",
  ],
  package: [
    "npx pnpm install",
    "Write what the package is for; its arrows stand in scripts/layers.ts, and a new one is a page in docs/decisions/.",
    "  npx pnpm exec vitest run --project <name>",
    "npm test",
  ],
};

const { positionals, values } = parseArgs({ allowPositionals: true, strict: false, options: { transport: { type: "string" } } });
const [kind, name, ...rest] = positionals;
const { transport = "webhook", ...unknown } = values;
const isWrong = rest.length > 0 || Object.keys(unknown).length > 0 || (kind !== "channel" && values["transport"] !== undefined);
if (!isScaffoldKind(kind) || name === undefined || isWrong || typeof transport !== "string" || !isTransport(transport)) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  try {
    const { folder, files } = scaffold(kind, name, { root: ROOT, transport });
    const formatted = spawnSync("oxfmt", [folder, "tsconfig.json", "scripts/layers.ts"], { cwd: ROOT, stdio: "inherit" });
    if (formatted.status !== 0) throw new ScaffoldError(`${folder} was written but not formatted: run pnpm format.`);
    console.log(`Wrote ${files.length} files for ${folder}. Next:`);
    for (const step of NEXT[kind]) console.log(`  ${step.replace("<name>", name)}`);
  } catch (error) {
    if (!(error instanceof ScaffoldError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
