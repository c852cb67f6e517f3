import type { SendFault } from "@factotum/channel-conformance";
import { FakeMail } from "@factotum/testing-channels";
import type { MailFault, SentMail } from "@factotum/testing-channels";
import type { EmailConfig } from "../src/index.ts";
import { MailPlatform } from "./mail-platform.ts";

export const ALICE = "alice@people.example";
export const AUTHSERV_ID = "mx.example.org";

/** The header with which the receiving server proves a sender of a domain. */
export const proved = (domain: string): string => `Authentication-Results: ${AUTHSERV_ID};\r\n dmarc=pass (p=none) header.from=${domain}`;

/** The fake servers behind the suite's interface. */
export class EmailPlatform extends MailPlatform {
  readonly mail: FakeMail;

  private constructor(mail: FakeMail) {
    super({ address: "assistant@example.org", person: ALICE, unknown: "nobody@nowhere.example" });
    this.mail = mail;
  }

  static async start(): Promise<EmailPlatform> {
    return new EmailPlatform(await FakeMail.start());
  }

  get secrets(): readonly string[] {
    return [this.mail.password];
  }

  config(credential: "right" | "wrong"): EmailConfig {
    const { user, password, imapPort, smtpPort } = this.mail;
    const login = { user, password: credential === "right" ? password : "a-wrong-password" };
    return {
      address: this.people.address,
      imap: { host: "127.0.0.1", port: imapPort, tls: false, ...login },
      smtp: { host: "127.0.0.1", port: smtpPort, tls: false },
      folder: "INBOX",
      senderVerification: { authservId: AUTHSERV_ID },
    };
  }

  protected override put(source: Buffer, { isOurs, atMs }: { readonly isOurs: boolean; readonly atMs: number }): Promise<void> {
    this.mail.deliver(source, { folder: isOurs ? "INBOX" : "Other", atMs });
    return Promise.resolve();
  }

  protected override get sent(): readonly SentMail[] {
    return this.mail.sent;
  }

  protected override get trace(): readonly string[] {
    return [proved("people.example")];
  }

  override disconnect(): void {
    this.mail.disconnect();
  }

  override connected(count: number): Promise<void> {
    return this.mail.until(() => this.mail.opened >= count);
  }

  override get openConnections(): number {
    return this.mail.openConnections;
  }

  override get sendRequests(): number {
    return this.mail.sendRequests;
  }

  override sendRequested(count: number): Promise<void> {
    return this.mail.until(() => this.mail.sendRequests >= count);
  }

  override failNextSend(fault: SendFault): void {
    this.mail.failNext(faultOf(fault));
  }

  override release(): void {
    this.mail.release();
  }

  override async shutDown(): Promise<void> {
    await this.mail.shutDown();
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.mail[Symbol.asyncDispose]();
  }
}

function faultOf(fault: SendFault): MailFault {
  switch (fault.type) {
    case "rate-limited":
      return { type: "refused", status: 451, text: `4.7.1 Too many messages, try again in ${fault.delayMs / 1_000} seconds` };
    case "server-error":
      return { type: "refused", status: 451, text: "4.3.0 Error: queue file write error" };
    case "forbidden":
      return { type: "refused", status: 554, text: "5.7.1 Message refused by policy" };
    case "answer-lost":
    case "answer-unreadable":
    case "held":
      return { type: fault.type };
  }
}
