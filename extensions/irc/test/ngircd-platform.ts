import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type {
  ConformancePlatform,
  DeliveryAnswer,
  DeliveryFault,
  SendFault,
  ShownMessage,
  TestEvent,
  TestHappening,
  TestHappeningEvent,
  TestMessage,
} from "@factotum/channel-conformance";
import type { Channel, Conversation } from "@factotum/channel-contract";
import { IrcProxy } from "./irc-proxy.ts";
import { RawIrcClient } from "./raw-irc-client.ts";

const ROOM = "#room";
const PASSWORD = "server-secret";

/** Where the program is; `undefined` if it is not installed. */
export const ngircd: string | undefined = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]
  .map((folder) => join(folder, "ngircd"))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && ["ENOENT", "EACCES", "ENOTDIR"].includes(String(error.code))) return false;
      throw error;
    }
  });

/** A real server, with two people's clients on it, behind a proxy that makes its faults. */
export class NgircdPlatform implements ConformancePlatform {
  readonly transport = "connection";
  readonly directory = { person: { id: "nick:bob", name: "Bob" }, group: { id: ROOM, name: ROOM } };
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: false,
    massMention: "",
    files: false,
    absent: ["replies", "line-breaks", "sent-ids"],
  };
  readonly secrets: readonly string[] = [PASSWORD];
  readonly nick = "factotum";
  readonly password: string = PASSWORD;
  readonly channels: readonly string[] = [ROOM];
  readonly proxy: IrcProxy;
  readonly #alice: RawIrcClient;
  readonly #bob: RawIrcClient;
  readonly #server: ChildProcess;
  readonly #folder: string;
  #deliveries = 0;

  private constructor(parts: { proxy: IrcProxy; alice: RawIrcClient; bob: RawIrcClient; server: ChildProcess; folder: string }) {
    this.proxy = parts.proxy;
    this.#alice = parts.alice;
    this.#bob = parts.bob;
    this.#server = parts.server;
    this.#folder = parts.folder;
  }

  static async start(): Promise<NgircdPlatform> {
    if (ngircd === undefined) throw new Error("ngircd is not installed");
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "factotum-ngircd-"));
    const file = join(folder, "ngircd.conf");
    writeFileSync(
      file,
      `[Global]
Name = irc.test.example
Info = Test
Listen = 127.0.0.1
Ports = ${port}
Password = ${PASSWORD}
MotdPhrase = "Hello"
[Limits]
MaxNickLength = 30
MaxConnectionsIP = 0
MaxPenaltyTime = 0
[Options]
DNS = no
Ident = no
PAM = no
`,
      { mode: 0o644 },
    );
    const server = spawn(ngircd, ["--nodaemon", "--config", file], { stdio: ["ignore", "pipe", "pipe"] });
    await new Promise<void>((resolve, reject) => {
      let output = "";
      const read = (chunk: Buffer): void => {
        output += chunk.toString("utf8");
        if (/now listening on/i.test(output)) resolve();
      };
      server.stdout.on("data", read);
      server.stderr.on("data", read);
      server.once("exit", () => reject(new Error(`ngircd ended:\n${output}`)));
      server.once("error", reject);
    });
    const account = { password: PASSWORD, channel: ROOM };
    const alice = await RawIrcClient.open(port, { ...account, nick: "Alice" });
    const bob = await RawIrcClient.open(port, { ...account, nick: "Bob" });
    const proxy = await IrcProxy.start(port, () => alice.sync());
    return new NgircdPlatform({ proxy, alice, bob, server, folder });
  }

  event(message: TestMessage): TestEvent {
    const names = [...(message.mentionsBot === true ? [this.nick] : []), ...(message.mentionsBob === true ? ["@Bob"] : [])];
    const conversation = this.target(message.conversation);
    const raw = { target: message.conversation === "direct" ? this.nick : ROOM, text: [message.text, ...names].join(" ") };
    // The server gives neither ids nor times.
    const unknown = { eventId: "", messageId: "", timestampMs: 0 };
    return { raw, expected: { ...unknown, conversation, senderId: "nick:alice" } };
  }

  happening(what: TestHappening): TestHappeningEvent {
    throw new Error(`the channel passes on no ${what}`);
  }

  async deliver(_channel: Channel, event: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { target, text } = event.raw as { readonly target: string; readonly text: string };
    const command = fault === "unknown-kind" ? "NOTICE" : "PRIVMSG";
    this.#alice.write(`${command} ${fault === "other-account" ? "Bob" : target} :${text}`);
    await this.#alice.sync();
    // The server sends this behind the message, and the channel ignores it.
    this.#deliveries += 1;
    const marker = `:behind ${this.#deliveries}`;
    this.#bob.write(`NOTICE ${this.nick} ${marker}`);
    await this.proxy.until(() => this.proxy.passed.endsWith(marker) || this.proxy.openConnections === 0);
    await this.proxy.answered();
    return "acknowledged";
  }

  async deliverBytes(_channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    this.proxy.inject(bytes);
    await this.proxy.answered();
    return "acknowledged";
  }

  handshake(): Promise<boolean> {
    return Promise.reject(new Error("IRC checks no addresses"));
  }

  disconnect(): void {
    this.proxy.disconnect();
  }

  connected(count: number): Promise<void> {
    return this.proxy.until(() => this.proxy.registrations >= count);
  }

  get openConnections(): number {
    return this.proxy.openConnections;
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: "nick:alice" };
    return { kind: "channel", id: kind === "unknown" ? "#nowhere" : ROOM };
  }

  /** What Alice has read. */
  get shown(): readonly ShownMessage[] {
    return this.#alice.lines.flatMap((line) => {
      const [, target = "", text = ""] = /^:factotum\S* PRIVMSG (\S+) :(.*)$/s.exec(line) ?? [];
      if (target === "") return [];
      const conversationId = target === ROOM ? ROOM : "nick:alice";
      return [{ messageId: "", conversationId, inThread: false, text, deleted: false, reactions: [], notifiedAll: false }];
    });
  }

  get sendRequests(): number {
    return this.proxy.sendRequests;
  }

  sendRequested(count: number): Promise<void> {
    return this.proxy.until(() => this.proxy.sendRequests >= count);
  }

  failNextSend({ type }: SendFault): void {
    if (type === "rate-limited" || type === "forbidden" || type === "answer-unreadable")
      throw new Error(`the server cannot be made to answer ${type}`);
    this.proxy.failNext(type === "server-error" ? "dropped" : type);
  }

  refuseReads(): void {
    throw new Error("the channel fetches no context");
  }

  release(): void {
    this.proxy.release();
  }

  async shutDown(): Promise<void> {
    await this.proxy.shutDown();
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  revokeTokens(): void {
    throw new Error("IRC exchanges no tokens");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]();
    this.#alice[Symbol.dispose]();
    this.#bob[Symbol.dispose]();
    const exited = once(this.#server, "exit");
    this.#server.kill("SIGKILL");
    await exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
