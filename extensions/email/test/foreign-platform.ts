import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeliveryAnswer, SendFault } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import { parseSentMail } from "@factotum/testing-channels";
import type { SentMail } from "@factotum/testing-channels";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { EmailConfig } from "../src/index.ts";
import { MailPlatform } from "./mail-platform.ts";
import { MailProxy } from "./mail-proxy.ts";
import type { ProxyHooks } from "./mail-proxy.ts";
import { PASSWORD } from "./mail-servers.ts";
import type { MailServers } from "./mail-servers.ts";

type WireFault = "answer-lost" | "dropped" | "held";

const END = "\r\n.\r\n";
let cases = 0;

/** Dovecot and Exim behind the suite's interface: each case has addresses and proxies of its own. */
export class ForeignPlatform extends MailPlatform {
  readonly secrets: readonly string[] = [PASSWORD];
  readonly #servers: MailServers;
  readonly #watchers = new Set<() => void>();
  readonly #sent: SentMail[] = [];
  readonly #seen = new Set<string>();
  #imap: MailProxy | undefined;
  #smtp: MailProxy | undefined;
  #opened = 0;
  #sendRequests = 0;
  #fault: WireFault | undefined;
  #held = Promise.withResolvers<void>();
  #delivered = 0;

  private constructor(servers: MailServers) {
    cases += 1;
    const name = `${process.pid}-${cases}`;
    super({ address: `assistant-${name}@example.org`, person: `alice-${name}@people.example`, unknown: "nobody@nowhere.example" });
    this.#servers = servers;
  }

  static async start(servers: MailServers): Promise<ForeignPlatform> {
    const platform = new ForeignPlatform(servers);
    platform.#imap = await MailProxy.start(servers.imapPort, () => ({
      onRequest: (bytes) => {
        if (/ EXAMINE /.test(bytes.toString("latin1"))) platform.#opened += 1;
        platform.#notify();
        return true;
      },
    }));
    platform.#smtp = await MailProxy.start(servers.smtpPort, () => platform.#watchSending());
    return platform;
  }

  config(credential: "right" | "wrong"): EmailConfig {
    const { address } = this.people;
    return {
      address,
      imap: {
        host: "127.0.0.1",
        port: this.#imap?.port,
        tls: false,
        user: address,
        password: credential === "right" ? PASSWORD : "a-wrong-password",
      },
      smtp: { host: "127.0.0.1", port: this.#smtp?.port, tls: false },
      folder: "INBOX",
      senderVerification: { authservId: "mx.example.org" },
    };
  }

  protected override async put(source: Buffer, { isOurs }: { readonly isOurs: boolean }): Promise<void> {
    const to = isOurs ? this.people.address : "somebody-else@example.org";
    await sendBySmtp(this.#servers.smtpPort, { from: this.people.person, to, source });
    // The server has taken it, and gives it to the mailbox by itself.
    this.#delivered += isOurs ? 1 : 0;
    while (isOurs && this.#filesOf(to).length < this.#delivered) await nextTurn();
  }

  protected override get sent(): readonly SentMail[] {
    return this.#sent;
  }

  override async deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    try {
      return await super.deliverBytes(channel, bytes);
    } catch (error) {
      // Some bytes are no mail for the server either.
      if (error instanceof Error && "responseCode" in error) return "refused";
      throw error;
    }
  }

  override disconnect(): void {
    this.#imap?.disconnect();
  }

  override connected(count: number): Promise<void> {
    return this.#until(() => this.#opened >= count);
  }

  override get openConnections(): number {
    return this.#imap?.open ?? 0;
  }

  override get sendRequests(): number {
    return this.#sendRequests;
  }

  override sendRequested(count: number): Promise<void> {
    return this.#until(() => this.#sendRequests >= count);
  }

  override failNextSend(fault: SendFault): void {
    if (fault.type === "rate-limited") writeFileSync(this.#servers.deferFile, String(fault.delayMs / 1_000));
    else if (fault.type === "forbidden") writeFileSync(this.#servers.denyFile, "");
    else if (fault.type === "answer-unreadable") throw new Error("the server cannot be made to answer nonsense");
    else this.#fault = fault.type === "server-error" ? "dropped" : fault.type;
  }

  override release(): void {
    this.#held.resolve();
    this.#held = Promise.withResolvers<void>();
  }

  override async shutDown(): Promise<void> {
    await this.#close();
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    await this.#close();
    for (const file of [this.#servers.deferFile, this.#servers.denyFile]) rmSync(file, { force: true });
  }

  async #close(): Promise<void> {
    await this.#imap?.[Symbol.asyncDispose]();
    await this.#smtp?.[Symbol.asyncDispose]();
    this.#imap = undefined;
    this.#smtp = undefined;
  }

  /** Follows one connection to Exim: the end of a mail, and the answer to it. */
  #watchSending(): ProxyHooks {
    let tail = "";
    let isEnding = false;
    return {
      onRequest: (bytes) => {
        const text = tail + bytes.toString("latin1");
        tail = text.slice(-END.length + 1);
        if (!text.includes(END)) return !(this.#fault === "dropped" && /^DATA\r\n/im.test(text) && this.#takeFault() !== undefined);
        tail = "";
        isEnding = true;
        return true;
      },
      onAnswer: async (bytes) => {
        const text = bytes.toString("latin1");
        if (/^550 5\.1\.2/m.test(text)) this.#countRequest();
        if (!isEnding) return true;
        isEnding = false;
        return this.#onMailAnswered(/^[45]/.test(text));
      },
    };
  }

  async #onMailAnswered(isRefused: boolean): Promise<boolean> {
    if (isRefused) {
      for (const file of [this.#servers.deferFile, this.#servers.denyFile]) rmSync(file, { force: true });
      this.#countRequest();
      return true;
    }
    // The answer waits until the recipient has the mail, so that the case can look at it.
    await this.#readSent();
    const fault = this.#takeFault();
    this.#countRequest();
    if (fault === "held") await this.#held.promise;
    return fault !== "answer-lost";
  }

  async #readSent(): Promise<void> {
    const { person } = this.people;
    for (;;) {
      const fresh = this.#filesOf(person).filter((file) => !this.#seen.has(file));
      for (const file of fresh) {
        this.#seen.add(file);
        this.#sent.push(await parseSentMail(readFileSync(file), person));
      }
      if (fresh.length > 0) return this.#notify();
      await nextTurn();
    }
  }

  #filesOf(address: string): readonly string[] {
    const folder = join(this.#servers.mailFolder(address), "new");
    const other = join(this.#servers.mailFolder(address), "cur");
    return [folder, other].flatMap((path) => (existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : []));
  }

  #takeFault(): WireFault | undefined {
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault === "dropped") this.#countRequest();
    return fault;
  }

  #countRequest(): void {
    this.#sendRequests += 1;
    this.#notify();
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.add(resolve);
      await promise;
      this.#watchers.delete(resolve);
    }
  }

  #notify(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function sendBySmtp(
  port: number,
  { from, to, source }: { readonly from: string; readonly to: string; readonly source: Buffer },
): Promise<void> {
  const connection = new SMTPConnection({ host: "127.0.0.1", port, ignoreTLS: true });
  await new Promise<void>((resolve, reject) => {
    connection.once("error", reject);
    connection.connect((failed) => {
      if (failed) return reject(failed);
      connection.send({ from, to }, source, (error) => (error === null ? resolve() : reject(error)));
    });
  });
  connection.quit();
}
