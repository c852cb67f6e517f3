import { randomUUID } from "node:crypto";
import { createHostRunner } from "../src/index.ts";
import { realClock } from "./real-clock.ts";

/** A process that runs a command like the gateway, to be killed by a test: `run-and-wait.ts <folder> <record folder> <shell text>`. */
const [folder = "", recordFolder = "", text = ""] = process.argv.slice(2);
const runner = createHostRunner({
  clock: realClock,
  random: { uuid: randomUUID },
  logger: { warn: (message) => void process.stderr.write(message) },
  recordFolder,
  limits: () => ({ maxProcesses: 256, maxMemoryBytes: 2048 * 1024 ** 2 }),
  baseEnv: { PATH: process.env["PATH"] },
});
await runner.run(
  { command: { type: "shell", text }, cwd: folder, env: {}, timeoutMs: 600_000, maxOutputBytes: 10_000 },
  {
    signal: new AbortController().signal,
    run: {
      runId: "run",
      kind: "user",
      agentId: "main",
      sessionKey: "agent:main:main",
      sessionId: "session",
      workspace: folder,
      owner: true,
      timeZone: "UTC",
    },
    onOutput: (output) => void process.stdout.write(output),
  },
);
