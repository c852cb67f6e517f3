import { createHostRunner } from "../src/index.ts";
import { runnerOptions, sandboxedRun, sandboxOver, specOf } from "./sandbox-scene.ts";

/** A process that runs a sandboxed command with network like the gateway, to be killed by a test: `run-sandboxed.ts <home> <workspace> <shell text>`. */
const [home = "", workspace = "", text = ""] = process.argv.slice(2);
const host = createHostRunner(runnerOptions(home));
const sandbox = sandboxOver(host, home, () => specOf(home, workspace, { network: { hosts: () => [] } }));
await sandbox.backend({ backend: "bubblewrap", image: "" });
process.stdout.write("starting\n");
await sandbox.run(
  { command: { type: "shell", text }, cwd: workspace, env: {}, timeoutMs: 600_000, maxOutputBytes: 10_000 },
  { signal: new AbortController().signal, run: sandboxedRun(workspace), onOutput: (output) => void process.stdout.write(output) },
);
