import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../workspace.ts";

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A clone of a small workspace with the real bootstrap in it. `npx` and `turbo` are scripts that note how they were called. */
export class CloneFixture {
  readonly root: string = mkdtempSync(join(tmpdir(), "factotum-clone-"));
  readonly #children = new Set<ChildProcess>();

  constructor() {
    cpSync(join(ROOT, "scripts/bootstrap.mjs"), join(this.root, "scripts/bootstrap.mjs"));
    cpSync(join(ROOT, "scripts/bootstrap"), join(this.root, "scripts/bootstrap"), { recursive: true });
    this.write("package.json", JSON.stringify({ type: "module", packageManager: "pnpm@1.2.3" }));
    this.write("pnpm-lock.yaml", "lockfileVersion: 9\n");
    this.write("pnpm-workspace.yaml", "packages: [packages/*]\n");
    this.write("packages/one/package.json", "{}");
    this.write("packages/one/src/index.ts", "export {};\n");
    this.write("extensions/two/package.json", "{}");
    this.write("apps/factotum/package.json", "{}");
    this.write("apps/web/package.json", "{}");
    this.script("bin/npx", 'echo "npx $* CI=$CI" >> "$CALLS"; exit ${NPX_EXIT:-0}');
    const product = "apps/factotum/dist/factotum.mjs";
    const build = `mkdir -p apps/factotum/dist && echo 'console.log(JSON.stringify(process.argv.slice(2)))' > ${product}`;
    this.script("node_modules/.bin/turbo", `echo "turbo $*" >> "$CALLS"; [ -z "$TURBO_EXIT" ] || exit $TURBO_EXIT; ${build}`);
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    writeFileSync(join(this.root, file), text);
  }

  append(file: string, text: string): void {
    appendFileSync(join(this.root, file), text);
  }

  script(file: string, body: string): void {
    this.write(file, `#!/bin/sh\n${body}\n`);
    chmodSync(join(this.root, file), 0o755);
  }

  /** Calls of `npx` and `turbo` since the previous call. */
  calls(): string[] {
    const file = join(this.root, "calls");
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    rmSync(file, { force: true });
    return lines;
  }

  /** Starts the bootstrap, without a terminal. */
  start(args: readonly string[], options: { env?: NodeJS.ProcessEnv; nodeOptions?: readonly string[] } = {}): ChildProcess {
    const env = { PATH: `${join(this.root, "bin")}:/usr/bin:/bin`, CALLS: join(this.root, "calls"), ...options.env };
    const script = join(this.root, "scripts/bootstrap.mjs");
    const child = spawn(process.execPath, [...(options.nodeOptions ?? []), script, ...args], {
      env,
      cwd: this.root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    return child;
  }

  async run(args: readonly string[], options: Parameters<CloneFixture["start"]>[1] = {}): Promise<Ended> {
    return this.ended(this.start(args, options));
  }

  ended(child: ChildProcess): Promise<Ended> {
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
  }

  remove(): void {
    for (const child of this.#children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    rmSync(this.root, { recursive: true, force: true });
  }
}
