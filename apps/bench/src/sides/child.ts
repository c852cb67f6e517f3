import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A helper process of this package, listening. */
export interface Child extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly process: ChildProcess;
}

/** Starts a module of this package in a separate process and waits until it reports its address. Disposing ends it. */
export async function startChild(module: string, args: readonly string[] = []): Promise<Child> {
  const child = fork(fileURLToPath(new URL(`../${module}`, import.meta.url)), [...args], {
    execArgv: ["--conditions=factotum-source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const ready = new Promise<string>((resolve, reject) => {
    child.once("message", (message) => resolve((message as { url: string }).url));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${module} ended with ${code} before it was ready.`)));
  });
  return { url: await ready, pid: child.pid ?? -1, process: child, [Symbol.asyncDispose]: end };
}
