import { spawn, type ChildProcess } from "node:child_process";
import type { Environment } from "../state/state-paths.ts";

/** How the command ended. */
export type CommandOutput = { readonly type: "output"; readonly output: string } | { readonly type: "failed"; readonly message: string };

interface CommandOptions {
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** Environment variables that a password manager needs. None of ours, and no model provider's key, is among them. */
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|DISPLAY|WAYLAND_DISPLAY|SSH_AUTH_SOCK|GPG_\w+|GNUPGHOME|PASSWORD_STORE_\w+|OP_\w+|BW_\w+|BWS_\w+|VAULT_\w+|AWS_\w+|GOOGLE_APPLICATION_CREDENTIALS|CLOUDSDK_\w+|AZURE_\w+|KEEPASS\w*)$/;

/** Runs a program without a shell and resolves with its output. Never rejects; when it settles, no process of its group runs. */
export function readCommandOutput([file = "", ...args]: readonly string[], options: CommandOptions): Promise<CommandOutput> {
  const { promise, resolve } = Promise.withResolvers<CommandOutput>();
  if (options.signal?.aborted === true) return Promise.resolve({ type: "failed", message: "was not started: the gateway is stopping" });
  const env = Object.fromEntries(Object.entries(options.env).filter(([name, value]) => value !== undefined && PASSED_ON.test(name)));
  // Its own process group, so that children end with the program.
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "ignore"], detached: true, windowsHide: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (result: CommandOutput): void => {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
    killGroup(child);
    child.stdout.destroy();
    resolve(result);
  };
  const onAbort = (): void => finish({ type: "failed", message: "was stopped with the gateway" });
  const timer = setTimeout(() => finish({ type: "failed", message: `took longer than ${options.timeoutMs} ms` }), options.timeoutMs);
  options.signal?.addEventListener("abort", onAbort, { once: true });
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > options.maxBytes) finish({ type: "failed", message: `printed more than ${options.maxBytes} bytes` });
  });
  child.once("error", (error: NodeJS.ErrnoException) =>
    finish({ type: "failed", message: `does not start (${error.code ?? error.message})` }),
  );
  child.once("close", (code, signal) => {
    if (code === 0) finish({ type: "output", output: Buffer.concat(chunks).toString("utf8") });
    else finish({ type: "failed", message: signal === null ? `failed with exit code ${code}` : `was ended by ${signal}` });
  });
  return promise;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // ESRCH: the group has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
