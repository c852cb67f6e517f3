import { spawn } from "node:child_process";

/** What a command has to name; the request of the product's runner has more. */
interface PlainRequest {
  readonly command: { readonly type: "shell"; readonly text: string } | { readonly type: "argv" };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface PlainResult {
  readonly end: { readonly type: "exited"; readonly exitCode: number };
  readonly output: string;
  readonly outputBytes: number;
  readonly durationMs: number;
}

interface PlainCommand {
  readonly ended: Promise<PlainResult>;
  readonly output: {
    readonly length: number;
    readonly read: (offset: number, maxBytes: number) => { readonly text: string; readonly offset: number; readonly next: number };
    readonly changed: (known: number) => Promise<boolean>;
  };
  readonly write: (line: string) => "written" | "closed";
  readonly closeInput: () => "written";
  readonly kill: () => void;
}

/** A runner as the product's, without records and limits: one process group for each command. `Request` and `Run` are those of the port that it stands for. */
export interface PlainRunner<Request extends PlainRequest, Run> {
  readonly started: { readonly request: Request; readonly run: Run }[];
  /** Process groups that have not ended. */
  readonly groups: ReadonlySet<number>;
  readonly start: (request: Request, options: { readonly run: Run }) => Promise<PlainCommand>;
  readonly run: (request: Request, options: { readonly run: Run }) => Promise<PlainResult>;
}

/** Runs shell text on the host. */
export function plainRunner<Request extends PlainRequest, Run>(): PlainRunner<Request, Run> {
  const started: PlainRunner<Request, Run>["started"] = [];
  const groups = new Set<number>();
  // eslint-disable-next-line typescript/require-await -- the port's shape
  const start: PlainRunner<Request, Run>["start"] = async (request, { run }) => {
    started.push({ request, run });
    return startCommand(request, groups);
  };
  return { started, groups, start, run: async (request, options) => (await start(request, options)).ended };
}

function startCommand({ command, cwd, env }: PlainRequest, groups: Set<number>): PlainCommand {
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
  const ended = new Promise<PlainResult>((resolve) => {
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
      read: (offset, maxBytes) => {
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
