import { TestHost } from "@factotum/channel-conformance";
import type { Channel, MsgContext, Origin, Outbound, SendOptions, SendReceipt } from "@factotum/channel-contract";
import { FakeMail, mailSource, ManualClock } from "@factotum/testing-channels";
import type { FakeMailOptions, MailSource } from "@factotum/testing-channels";
import { createEmailChannel, EmailConfigSchema } from "../src/index.ts";
import { ALICE, AUTHSERV_ID, proved } from "./email-platform.ts";

export const ADDRESS = "assistant@example.org";
const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

/** A channel on a fake mailbox, with a clock that the test advances. */
export class Scene implements AsyncDisposable {
  readonly mail: FakeMail;
  readonly clock: ManualClock = new ManualClock();
  readonly host: TestHost;
  readonly #settings: Readonly<Record<string, unknown>>;
  channel: Channel;
  #count = 0;

  private constructor(mail: FakeMail, settings: Readonly<Record<string, unknown>>) {
    this.mail = mail;
    this.host = new TestHost({ clock: this.clock });
    this.#settings = settings;
    this.channel = this.create();
  }

  /** A started channel; `settings` replace those of the account. */
  static async start(settings: Readonly<Record<string, unknown>> = {}, options: FakeMailOptions = {}): Promise<Scene> {
    const scene = await Scene.create(settings, options);
    await scene.channel.start(soon());
    return scene;
  }

  static async create(settings: Readonly<Record<string, unknown>> = {}, options: FakeMailOptions = {}): Promise<Scene> {
    return new Scene(await FakeMail.start(options), settings);
  }

  create(): Channel {
    const { imapPort, smtpPort, user, password } = this.mail;
    const config = EmailConfigSchema.parse({
      address: ADDRESS,
      imap: { host: "127.0.0.1", port: imapPort, tls: false, user, password },
      smtp: { host: "127.0.0.1", port: smtpPort, tls: false },
      senderVerification: { authservId: AUTHSERV_ID },
      ...this.#settings,
    });
    return createEmailChannel(config, this.host);
  }

  /** Another channel of the account, as after a restart of the process. */
  async restart(): Promise<void> {
    await this.channel.stop(soon());
    this.channel = this.create();
    await this.channel.start(soon());
  }

  /** A proved mail of Alice that is not delivered. */
  source(mail: Partial<MailSource> = {}): Buffer {
    this.#count += 1;
    return mailSource({
      from: ALICE,
      messageId: `<mail-${this.#count}@people.example>`,
      text: "Hello",
      trace: [proved("people.example")],
      ...mail,
    });
  }

  /** Delivers a mail and returns what the channel passes on of it. */
  async receive(mail: Partial<MailSource> | Buffer = {}): Promise<MsgContext> {
    const before = this.host.received.length;
    this.mail.deliver(Buffer.isBuffer(mail) ? mail : this.source(mail));
    await this.host.handedOver(before + 1);
    const message = this.host.received[before];
    if (message === undefined) throw new Error("nothing was passed on");
    return message;
  }

  /** Delivers a mail that must not be passed on, and waits for one behind it. */
  async ignore(mail: Partial<MailSource> | Buffer): Promise<void> {
    this.mail.deliver(Buffer.isBuffer(mail) ? mail : this.source(mail));
    const behind = await this.receive({ text: "the mail behind" });
    if (behind.text !== "the mail behind") throw new Error(`passed on: ${behind.text}`);
  }

  send(
    outbound: Outbound,
    { to = {}, ...options }: Partial<SendOptions> & { readonly to?: Partial<Origin["conversation"]> } = {},
  ): Promise<SendReceipt> {
    this.#count += 1;
    const target: Origin = { channel: "email", accountId: this.host.accountId, conversation: { kind: "direct", id: ALICE, ...to } };
    return this.channel.send(target, outbound, { ...soon(), idempotencyKey: `send-${this.#count}`, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.mail.release();
    await this.channel.stop({ signal: AbortSignal.abort() });
    await this.mail[Symbol.asyncDispose]();
  }
}
