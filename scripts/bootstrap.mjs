// From a bare clone to a running command, with nothing but Node 20 and npm: installs what the lock file names, builds what changed,
// and runs everything under Node 24. It has no dependencies and asks nothing.

import { join } from "node:path";
import { buildProduct } from "./bootstrap/build.mjs";
import { environment } from "./bootstrap/environment.mjs";
import { fail } from "./bootstrap/fail.mjs";
import { install } from "./bootstrap/install.mjs";
import { findNode } from "./bootstrap/node.mjs";
import { ROOT } from "./bootstrap/root.mjs";
import { run } from "./bootstrap/run.mjs";

const USAGE = `Usage: node scripts/bootstrap.mjs <command>

  start [options]      install and build what changed, then run the gateway
  factotum [arguments] the same, then run the factotum command
  test [gates]         run the gates (all, or the named ones)
  exec <command …>     run a command in the repository's environment
`;

const [command, ...rest] = process.argv.slice(2);
switch (command) {
  case "start":
    await product(["gateway", "run", "--setup", ...rest]);
    break;
  case "factotum":
    await product(rest);
    break;
  case "test":
    await tool((node) => [node, join(ROOT, "scripts/gates.ts"), ...rest]);
    break;
  case "exec":
    if (rest.length === 0) fail("exec needs a command.", USAGE);
    await tool(() => rest);
    break;
  default:
    fail(command === undefined ? "A command is missing." : `There is no command "${command}".`, USAGE);
}

/** @param {string[]} args */
async function product(args) {
  const { node, stamp } = await prepare();
  await buildProduct({ node, installStamp: stamp });
  const script = join(ROOT, "apps/factotum/dist/factotum.mjs");
  await run([node, script, ...args], { env: environment(node), exit: true });
}

/** @param {(node: string) => string[]} commandFor */
async function tool(commandFor) {
  const { node } = await prepare();
  await run(commandFor(node), { env: environment(node, { tool: true }), exit: true });
}

async function prepare() {
  const stamp = await install();
  return { node: findNode(), stamp };
}
