import { spawn } from "node:child_process";
import type { CommandRequest, CommandResult, CommandRunner, OutputPart, RunFacts, RunningCommand } from "@factotum/agent-contract";

/** A runner as the product's, without records and limits: one process group for each command. */
export interface PlainRunner extends CommandRunner {
  readonly started: { readonly request: CommandRequest; readonly run: RunFacts }[];
  /** Process groups that have not ended. */
  readonly groups: ReadonlySet<number>;
}

export function plainRunner(): PlainRunner {
  const started: PlainRunner["started"] = [];
  const groups = new Set<number>();
  // eslint-disable-next-line typescript/require-await -- the port's shape
  const start: CommandRunner["start"] = async (request, { run }) => {
    started.push({ request, run });
    return startCommand(request, groups);
  };
  return { started, groups, start, run: async (request, options) => (await start(request, options)).ended };
}

function startCommand({ command, cwd, env }: CommandRequest, groups: Set<number>): RunningCommand {
  if (command.type !== "shell") throw new Error("only shell text");
  const child = spawn("/bin/sh", ["-c", command.text], { cwd, env: { PATH: process.env["PATH"], ...env }, detached: true, stdio: "pipe" });
  const group = child.pid ?? 0;
  groups.add(group);
  // What was read is not kept.
  let [text, length, hasEnded] = ["", 0, false];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const one of waiting) one();
    waiting.clear();
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    length += chunk.length;
    wake();
  });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<CommandResult>((resolve) => {
    child.on("close", (exitCode) => {
      groups.delete(group);
      hasEnded = true;
      wake();
      resolve({ end: { type: "exited", exitCode: exitCode ?? 0 }, output: "", outputBytes: length, durationMs: 0 });
    });
  });
  return {
    ended,
    output: {
      get length() {
        return length;
      },
      read: (offset, maxBytes): OutputPart => {
        text = text.slice(text.length - (length - offset));
        const part = text.slice(0, maxBytes);
        return { text: part, offset, next: offset + part.length };
      },
      changed: async (known) => {
        while (length <= known && !hasEnded) await new Promise<void>((resolve) => void waiting.add(resolve));
        return length > known;
      },
    },
    write: (line) => {
      if (hasEnded) return "closed";
      child.stdin.write(line);
      return "written";
    },
    closeInput: () => {
      child.stdin.end();
      return "written";
    },
    kill: () => {
      try {
        process.kill(-group, "SIGKILL");
      } catch {
        // It has ended.
      }
    },
  };
}
