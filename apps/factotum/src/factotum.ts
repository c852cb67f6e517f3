#!/usr/bin/env node
// The entry stays thin: `--version` loads this file alone, and an old Node gets a message instead of a stack trace.
import { fileURLToPath } from "node:url";
import { isSupportedNode, OLDEST_NODE } from "./runtime/node-version.ts";
import { readVersion } from "./runtime/version.ts";

const [first, ...rest] = process.argv.slice(2);

if (rest.length === 0 && (first === "--version" || first === "-V")) {
  process.stdout.write(`${readVersion()}\n`);
} else if (!isSupportedNode(process.versions.node)) {
  process.stderr.write(
    `factotum: Node ${OLDEST_NODE} or newer is needed, and this is ${process.versions.node}.\nInstall it from nodejs.org.\n`,
  );
  process.exitCode = 1;
} else {
  if (first === "gateway" && rest[0] === "run") {
    const { tuneProcess } = await import("./runtime/tuning/tune-process.ts");
    tuneProcess();
    const { closeInheritedFiles } = await import("./runtime/close-inherited-files.ts");
    closeInheritedFiles();
  }
  // Sources change without a new name, so they are not cached.
  if (!import.meta.url.endsWith(".ts")) {
    const { keepCode } = await import("./runtime/tuning/code-cache.ts");
    keepCode(process.env, fileURLToPath(import.meta.url));
  }
  const { runProcess } = await import("./cli/run-process.ts");
  await runProcess();
}
