import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Finding } from "../src/doctor/finding.ts";
import { productEntry, runCommand, type CommandOutcome } from "@factotum/testing-product";

export const RIGHT_KEY = "sk-right-0123456789";
export const MODELS: readonly string[] = ["claude-sonnet-5-5", "claude-opus-4-6"];

/** A vendor that lists its models for the right key, and OpenRouter, whose list takes every key. */
export interface FakeVendor extends AsyncDisposable {
  /** Base address for the formats of Anthropic and OpenAI. */
  readonly baseUrl: string;
  /** Base address for OpenRouter. */
  readonly routerUrl: string;
}

/** Starts the vendor on loopback. */
export async function startFakeVendor(): Promise<FakeVendor> {
  const server: Server = createServer((request, response) => answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    routerUrl: `http://127.0.0.1:${port}/api/v1`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function answer({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
  const isRight = headers["x-api-key"] === RIGHT_KEY || headers.authorization === `Bearer ${RIGHT_KEY}`;
  const { pathname } = new URL(url, "http://127.0.0.1");
  const isOpen = pathname === "/api/v1/models";
  const status = isRight || isOpen ? (pathname.endsWith("/models") || pathname === "/api/v1/key" ? 200 : 404) : 401;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(status === 200 ? { data: MODELS.map((id) => ({ id })) } : { error: { message: "no" } }));
}

/** A state directory in which doctor finds nothing, until a test plants a fault. */
export class DoctorScene implements AsyncDisposable {
  readonly home: string;
  readonly env: Record<string, string> = { FACTOTUM_PORT: "0" };
  readonly vendor: FakeVendor;

  readonly #isOwn: boolean;
  #hasGateway = false;

  private constructor(home: string, vendor: FakeVendor, isOwn: boolean) {
    this.home = home;
    this.vendor = vendor;
    this.#isOwn = isOwn;
  }

  /** Sets it up in a folder of its own, or in a given one. */
  static async create(folder?: string): Promise<DoctorScene> {
    const scene = await DoctorScene.#begin(folder);
    await scene.writeKey("anthropic", RIGHT_KEY);
    await scene.configure({});
    await scene.run("setup");
    return scene;
  }

  /** A copy of a scene without a gateway, in a separate folder and with a separate vendor. */
  static async copyOf(prepared: DoctorScene): Promise<DoctorScene> {
    const scene = await DoctorScene.#begin();
    await cp(prepared.home, scene.home, { recursive: true });
    await scene.configure({});
    return scene;
  }

  static async #begin(folder?: string): Promise<DoctorScene> {
    const home = folder ?? (await mkdtemp(path.join(tmpdir(), "factotum-doctor-")));
    return new DoctorScene(home, await startFakeVendor(), folder === undefined);
  }

  /** Writes the configuration of a sound installation with these sections over it. */
  async configure(sections: Readonly<Record<string, unknown>>): Promise<void> {
    const config = {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: this.vendor.baseUrl, apiKey: { file: "credentials/anthropic" } } } },
      ...sections,
    };
    await this.writeConfig(JSON.stringify(config, undefined, 2));
  }

  async writeConfig(text: string): Promise<void> {
    await writeFile(this.file("factotum.json5"), text, { mode: 0o600 });
  }

  async readConfig(): Promise<string> {
    return readFile(this.file("factotum.json5"), "utf8");
  }

  async writeKey(name: string, text: string): Promise<void> {
    await mkdir(this.file("credentials"), { recursive: true, mode: 0o700 });
    await writeFile(this.file("credentials", name), `${text}\n`, { mode: 0o600 });
    await chmod(this.file("credentials", name), 0o600);
  }

  file(...names: readonly string[]): string {
    return path.join(this.home, ...names);
  }

  /** Runs a command of the built product to its end. */
  async run(...args: readonly string[]): Promise<CommandOutcome> {
    this.#hasGateway ||= args[0] === "gateway";
    return runCommand(args, { home: this.home, env: this.env });
  }

  /** Starts the gateway in the background; disposing the scene stops it. */
  async start(): Promise<void> {
    const { code, stderr } = await this.run("gateway", "start");
    if (code !== 0) throw new Error(stderr);
  }

  /** What is not as it should be. */
  async findings(): Promise<readonly Finding[]> {
    return (await this.examine()).findings;
  }

  /** The same, with the exit code. */
  async examine(): Promise<{ readonly code: number | null; readonly findings: readonly Finding[] }> {
    const { code, stdout } = await this.run("doctor", "--json");
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
    return { code, findings: findings.filter(({ level }) => level !== "ok") };
  }

  /** Runs the commands of the product that a text names, as a shell would read them. Throws when one fails, or if the text names none. */
  async follow(fix: string): Promise<void> {
    const commands = [...fix.matchAll(/factotum ((?:[a-z][\w.[\]-]*|'[^']*'|--?[a-z]+)(?: (?:'[^']*'|[^\s'",;]+))*)/g)].map(
      ([, words = ""]) => words,
    );
    if (commands.length === 0) throw new Error(`No command in: ${fix}`);
    for (const command of commands) {
      const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
      const { code, stdout, stderr } = await this.run(...words);
      if (code !== 0 && words[0] !== "doctor") throw new Error(`factotum ${words.join(" ")} ended with ${code}: ${stdout}${stderr}`);
    }
  }

  /** Runs a command that a fix is in a shell, in which `factotum` is the built product. */
  async shell(command: string): Promise<void> {
    const product = `factotum() { ${JSON.stringify(process.execPath)} ${JSON.stringify(productEntry)} "$@"; }`;
    const env = { PATH: process.env["PATH"] ?? "", FACTOTUM_HOME: this.home, ...this.env };
    await promisify(execFile)("sh", ["-c", `${product}\n${command}`], { env });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasGateway) await this.run("gateway", "stop");
    await this.vendor[Symbol.asyncDispose]();
    // The caller that passed a folder removes it.
    if (this.#isOwn) await rm(this.home, { recursive: true, force: true });
  }
}
