import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { SMTPServer } from "smtp-server";
import { ImapSession } from "./imap-session.ts";
import { MailFolder } from "./mail-folder.ts";
import type { StoredMail } from "./mail-folder.ts";
import { createSmtpSide } from "./smtp-side.ts";
import type { MailFault, SentMail } from "./smtp-side.ts";

/** How the server is set up. */
export interface FakeMailOptions {
  readonly user?: string;
  readonly password?: string;
  /** Addresses that take mail; all of `people.example` by default. */
  readonly knows?: (address: string) => boolean;
  /** False for a server without IDLE. */
  readonly hasIdle?: boolean;
  /** False for a server that keeps no copies of what it sends. */
  readonly keepsSent?: boolean;
  /** Logins are by SASL XOAUTH2 alone, with a token that this accepts. */
  readonly isToken?: (token: string) => boolean;
  /** Both servers are encrypted from the start. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** The mailbox of one account on loopback: IMAP as in RFC 3501 and 2177 to read, SMTP to send. It refuses what servers refuse. */
export class FakeMail implements AsyncDisposable {
  readonly user: string;
  readonly password: string;
  readonly folders: Map<string, MailFolder> = new Map();
  /** What was sent, oldest first. */
  readonly sent: SentMail[] = [];
  /** Commands of IMAP clients, without their values. */
  readonly commands: string[] = [];
  /** Mails that clients have sent, taken or not, and recipients that were refused. */
  sendRequests = 0;
  /** How often a client has opened a folder. */
  opened = 0;
  /** Logins of IMAP clients that were refused. */
  refusedLogins = 0;
  /** While true, logins fail for a reason that is not the password. */
  isUnavailable = false;
  /** Keeps copies of sent mail from now on. */
  keepsSent: boolean;
  readonly #options: FakeMailOptions;
  readonly #imap: Server;
  readonly #smtp: SMTPServer;
  readonly #sessions = new Set<ImapSession>();
  readonly #faults: MailFault[] = [];
  readonly #watchers = new Set<() => void>();
  #held = Promise.withResolvers<void>();
  #imapPort = 0;
  #smtpPort = 0;

  private constructor(options: FakeMailOptions) {
    this.#options = options;
    this.user = options.user ?? "assistant@example.org";
    this.password = options.password ?? "mail-password";
    this.keepsSent = options.keepsSent ?? true;
    for (const [path, specialUse] of [["INBOX"], ["Sent", "\\Sent"], ["Other"]] as const)
      this.folders.set(path, new MailFolder(path, { specialUse, onChange: (folder) => this.#changed(folder) }));
    const onSocket = (socket: Socket): void => this.#connect(socket);
    this.#imap = options.tls === undefined ? createServer(onSocket) : createTlsServer(options.tls, onSocket);
    this.#imap.on("tlsClientError", () => undefined);
    this.#smtp = createSmtpSide({
      checkLogin: (user, password) => this.#isRight(user, password),
      checkToken: this.#tokenCheck,
      knows: options.knows ?? ((address) => address.toLowerCase().endsWith("@people.example")),
      onRequest: () => {
        this.sendRequests += 1;
        this.#notify();
      },
      onMail: (mail) => {
        this.sent.push(mail);
        if (this.keepsSent) this.folder("Sent").append(mail.source, { flags: ["\\Seen"] });
        this.#notify();
      },
      nextFault: () => this.#faults.shift(),
      released: () => this.#held.promise,
      tls: options.tls,
    });
  }

  static async start(options: FakeMailOptions = {}): Promise<FakeMail> {
    const fake = new FakeMail(options);
    await fake.listen();
    return fake;
  }

  /** Listens, after `shutDown` at the same ports. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#imap.listen(this.#imapPort, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => {
      this.#smtp.listen(this.#smtpPort, "127.0.0.1", resolve);
    });
    this.#imapPort = (this.#imap.address() as AddressInfo).port;
    this.#smtpPort = (this.#smtp.server.address() as AddressInfo).port;
  }

  get imapPort(): number {
    return this.#imapPort;
  }

  get smtpPort(): number {
    return this.#smtpPort;
  }

  /** Clients that have a folder open. */
  get openConnections(): number {
    return [...this.#sessions].filter(({ isSelected }) => isSelected).length;
  }

  folder(path: string): MailFolder {
    const folder = this.folders.get(path);
    if (folder === undefined) throw new Error(`there is no folder ${path}`);
    return folder;
  }

  /** A mail arrives. */
  deliver(source: Buffer, { folder = "INBOX", atMs }: { readonly folder?: string; readonly atMs?: number } = {}): StoredMail {
    return this.folder(folder).append(source, atMs === undefined ? {} : { atMs });
  }

  /** The next mail that is sent fails; several queue up. */
  failNext(fault: MailFault): void {
    this.#faults.push(fault);
  }

  /** Answers every held mail. */
  release(): void {
    this.#held.resolve();
    this.#held = Promise.withResolvers<void>();
  }

  /** Sends a line without an end to IMAP clients. */
  flood(bytes: Uint8Array): void {
    for (const session of this.#sessions) session.flood(bytes);
  }

  /** Breaks the connections of IMAP clients. */
  disconnect(): void {
    for (const session of this.#sessions) session.drop();
  }

  watch(listener: () => void): void {
    this.#watchers.add(listener);
  }

  /** Resolves once the condition is true; it is checked whenever something happens. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.#watchers.delete(check);
        resolve();
      };
      this.#watchers.add(check);
    });
  }

  /** Stops listening, and breaks all connections. */
  async shutDown(): Promise<void> {
    const closed = [
      new Promise<void>((resolve) => this.#imap.close(() => resolve())),
      new Promise<void>((resolve) => this.#smtp.close(() => resolve())),
    ];
    this.disconnect();
    this.release();
    await Promise.all(closed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#imap.listening) await this.shutDown();
  }

  get #tokenCheck(): ((user: string, token: string) => boolean) | undefined {
    const { isToken } = this.#options;
    return isToken === undefined ? undefined : (user, token) => user === this.user && isToken(token);
  }

  #isRight(user: string, password: string): boolean {
    return this.#options.isToken === undefined && user === this.user && password === this.password;
  }

  #checkImapLogin(user: string, password: string): "right" | "wrong" | "unavailable" {
    if (this.isUnavailable) return "unavailable";
    if (this.#isRight(user, password)) return "right";
    this.refusedLogins += 1;
    this.#notify();
    return "wrong";
  }

  #connect(socket: Socket): void {
    const session = new ImapSession(socket, {
      folders: this.folders,
      hasIdle: this.#options.hasIdle ?? true,
      checkLogin: (user, password) => this.#checkImapLogin(user, password),
      checkToken: this.#tokenCheck,
      onCommand: ({ name }) => {
        this.commands.push(name);
        this.#notify();
      },
      onSelected: () => {
        this.opened += 1;
        this.#notify();
      },
      onEnd: () => {
        this.#sessions.delete(session);
        this.#notify();
      },
    });
    this.#sessions.add(session);
  }

  #changed(folder: MailFolder): void {
    for (const session of this.#sessions) session.changed(folder);
    this.#notify();
  }

  #notify(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
