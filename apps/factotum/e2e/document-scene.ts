import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { FakeFeishu, FakeSlack, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { PROVIDER_FACTS } from "@factotum/models";
import { freePort, productEntry, startProduct, type Product } from "@factotum/testing-product";
import { startListingServer, type ListingServer } from "@factotum/testing-providers";
import { FakeOllama } from "./fake-ollama.ts";

const KEY = "sk-right-0123456789abcdef";
const CHAT = "oc_dm";
const MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
/** Created by setup, not by a page. */
const OWN_CREDENTIALS: ReadonlySet<string> = new Set(["gateway-token", "owner-display-secret"]);

/** The outcome of a block of a document. */
export interface BlockOutcome {
  readonly code: number;
  /** Both streams, in order. */
  readonly output: string;
}

/**
 * The environment for commands of documents: a home with one gateway, every provider, Ollama and Feishu on loopback, and a `factotum` on the PATH that is the
 * built product. Addresses in a document are replaced by those of this scene.
 */
export class DocumentScene implements AsyncDisposable {
  readonly #folder: string;
  readonly #provider: ListingServer;
  readonly #ollama: FakeOllama;
  readonly #feishu: FakeFeishu;
  readonly #slack: FakeSlack;
  readonly #port: number;
  /** The first gateway of the scene; a page may have replaced it by one in the background. */
  #gateway: Product | undefined;

  private constructor(parts: {
    readonly folder: string;
    readonly provider: ListingServer;
    readonly ollama: FakeOllama;
    readonly feishu: FakeFeishu;
    readonly slack: FakeSlack;
    readonly port: number;
  }) {
    this.#folder = parts.folder;
    this.#provider = parts.provider;
    this.#ollama = parts.ollama;
    this.#feishu = parts.feishu;
    this.#slack = parts.slack;
    this.#port = parts.port;
  }

  /** `models`: the models of the providers. `stranger`: a person on Feishu who is not admitted. */
  static async start({ models, stranger }: { readonly models: readonly string[]; readonly stranger: string }): Promise<DocumentScene> {
    const scene = new DocumentScene({
      folder: await mkdtemp(path.join(tmpdir(), "factotum-pages-")),
      provider: await startListingServer({ key: KEY, models }),
      ollama: await FakeOllama.start(),
      feishu: await FakeFeishu.start({ people: [stranger], chats: [CHAT] }),
      slack: await FakeSlack.start(),
      port: await freePort(),
    });
    try {
      await scene.#setUp();
      return scene;
    } catch (error) {
      await scene[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Removes the configuration of an earlier page, and creates the files that pages read. */
  async begin(): Promise<void> {
    await this.#writeConfig();
    const credentials = path.join(this.#home, "credentials");
    const added = (await readdir(credentials)).filter((name) => !OWN_CREDENTIALS.has(name));
    for (const name of added) await rm(path.join(credentials, name));
    // A page may have left it stopped.
    const isRunning = await fetch(`http://127.0.0.1:${this.#port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isRunning) await this.#must("factotum gateway start");
    await mkdir(this.#workFolder, { recursive: true });
    await writeFile(path.join(this.#workFolder, "key.txt"), `${KEY}\n`);
    await writeFile(path.join(this.#workFolder, "secret.txt"), `${this.#feishu.app.appSecret}\n`);
  }

  /** Runs a shell block like a person would; it ends at its first failing command. */
  async runShell(text: string): Promise<BlockOutcome> {
    return this.#run("sh", ["-euc", this.#placed(text)]);
  }

  /** Runs a JavaScript block as a module, with the gateway's token in `FACTOTUM_TOKEN`. */
  async runModule(text: string): Promise<BlockOutcome> {
    const file = path.join(this.#workFolder, "block.mjs");
    await rm(path.join(this.#workFolder, "node_modules"), { force: true });
    await symlink(MODULES, path.join(this.#workFolder, "node_modules"));
    await writeFile(file, this.#placed(text));
    return this.#run(process.execPath, [file], { FACTOTUM_TOKEN: await this.#token() });
  }

  /** Requests a completion like a client with these settings; resolves with the status. */
  async askForModel(baseUrl: string, model: string): Promise<number> {
    const url = `${this.#placed(baseUrl)}/models/${encodeURIComponent(model)}`;
    return (await fetch(url, { headers: { authorization: `Bearer ${await this.#token()}` } })).status;
  }

  /** Sends a message of the stranger, which is refused. */
  async writeAs(stranger: string): Promise<void> {
    const messageId = `om_${"0".repeat(31)}1`;
    this.#feishu.addInbound({ messageId, chatId: CHAT });
    const event = feishuMessageEvent(this.#feishu.app, {
      chatId: CHAT,
      chatType: "p2p",
      messageType: "text",
      content: { text: "Hello" },
      messageId,
      senderOpenId: stranger,
    });
    await fetch(feishuWebhookRequest(this.#feishu.app, `http://127.0.0.1:${this.#port}/channels/feishu/default`, event));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run("factotum", ["gateway", "stop"]);
    await this.#gateway?.[Symbol.asyncDispose]();
    await this.#provider[Symbol.asyncDispose]();
    await this.#ollama[Symbol.asyncDispose]();
    await this.#feishu[Symbol.asyncDispose]();
    await this.#slack[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #home(): string {
    return path.join(this.#folder, ".factotum");
  }

  get #workFolder(): string {
    return path.join(this.#folder, "work");
  }

  async #setUp(): Promise<void> {
    const command = path.join(this.#folder, "bin/factotum");
    await mkdir(path.dirname(command));
    await writeFile(command, `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(productEntry)} "$@"\n`);
    await chmod(command, 0o755);
    await this.#must("factotum setup --non-interactive");
    await this.#writeConfig();
    const env = { HOME: this.#folder, FACTOTUM_HOME: this.#home, OLLAMA_HOST: this.#ollama.host };
    this.#gateway = await startProduct({ home: this.#home, port: this.#port, env });
  }

  /** Replaces the addresses of the gateway and of Ollama by those of the scene. */
  #placed(text: string): string {
    return text.replaceAll("127.0.0.1:18790", `127.0.0.1:${this.#port}`).replaceAll("http://127.0.0.1:11434", this.#ollama.host);
  }

  async #writeConfig(): Promise<void> {
    const { appId, appSecret, encryptKey, verificationToken } = this.#feishu.app;
    const { botToken, signingSecret } = this.#slack.app;
    const providers = PROVIDER_FACTS.filter(({ id }) => id !== "ollama").map(({ id }) => [id, { baseUrl: `${this.#provider.url}/${id}` }]);
    const config = {
      gateway: { port: this.#port },
      models: { providers: Object.fromEntries(providers) as unknown },
      commands: { ownerAllowFrom: ["feishu:ou_owner"] },
      channels: {
        feishu: { appId, appSecret, baseUrl: this.#feishu.baseUrl, transport: { type: "webhook", encryptKey, verificationToken } },
        slack: { botToken, baseUrl: this.#slack.baseUrl, transport: { type: "http", signingSecret } },
      },
    };
    await writeFile(path.join(this.#home, "factotum.json5"), JSON.stringify(config, undefined, 2), { mode: 0o600 });
  }

  async #token(): Promise<string> {
    return (await readFile(path.join(this.#home, "credentials/gateway-token"), "utf8")).trim();
  }

  async #must(command: string): Promise<void> {
    const { code, output } = await this.#run("sh", ["-c", command]);
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${output}`);
  }

  async #run(file: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<BlockOutcome> {
    await mkdir(this.#workFolder, { recursive: true });
    const PATH = `${path.join(this.#folder, "bin")}:${process.env["PATH"] ?? ""}`;
    const env = { PATH, HOME: this.#folder, LANG: "C.UTF-8", OLLAMA_HOST: this.#ollama.host, ...more };
    const child = spawn(file, args, { cwd: this.#workFolder, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (ended) => resolve(ended ?? -1));
    });
    return { code, output };
  }
}

/** True if a program is installed. */
export function hasProgram(name: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
}
