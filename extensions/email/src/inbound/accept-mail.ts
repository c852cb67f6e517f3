import type { ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import type { EventOutcome } from "@factotum/channel-kit";
import type { EmailConfig } from "../config.ts";
import type { KnownThreads } from "../state/known-threads.ts";
import type { MailboxParts } from "../transport/mailbox.ts";
import { automaticReason } from "./automatic-mail.ts";
import { findRoot } from "./find-root.ts";
import type { LoopGuard } from "./loop-guard.ts";
import { parseHeaders } from "./mail-headers.ts";
import type { MailHeaders } from "./mail-headers.ts";
import { parseMessage } from "./parse-message.ts";
import { proveSender } from "./prove-sender.ts";
import { readBody } from "./read-body.ts";

/** Dependencies of the entry point. */
export interface AcceptMailParts {
  /** Its address is an id. */
  readonly config: EmailConfig;
  readonly host: ChannelHost;
  readonly threads: KnownThreads;
  readonly guard: LoopGuard;
}

/** The single entry point for mails. */
export interface AcceptMail {
  readonly accept: MailboxParts["accept"];
  /** The health with the mails that were refused since the start. */
  addTo(health: ChannelHealth): ChannelHealth;
}

/** Creates the entry point of an account. */
export function createAcceptMail(parts: AcceptMailParts): AcceptMail {
  return new MailAcceptance(parts);
}

class MailAcceptance implements AcceptMail {
  readonly #parts: AcceptMailParts;
  #refused = 0;
  #lastReason = "";

  constructor(parts: AcceptMailParts) {
    this.#parts = parts;
  }

  readonly accept: AcceptMail["accept"] = async (mail, link, progress): Promise<EventOutcome> => {
    const { config, host, threads, guard } = this.#parts;
    const headers = await readable(() => parseHeaders(mail.headers));
    if (headers === undefined) return { type: "unreadable", reason: "its headers cannot be parsed" };
    const rejection = this.#rejection(headers);
    if (rejection !== undefined) return rejection;
    const { subject } = headers;
    const person = headers.from?.address ?? "";
    if (guard.isLoop({ person, subject, answers: namedBy(headers) })) return { type: "ignored", reason: "it is one of a loop" };
    const { uid, structure } = mail;
    if (structure === undefined) return this.#refuse(headers, UNREADABLE_PARTS);
    const body = await readable(() => readBody(link.imap, { uid, structure }, link.validity));
    if (body === undefined) return { type: "unreadable", reason: "its texts cannot be parsed" };
    const root = await findRoot(headers, { address: config.address, person, threads });
    const isUnverified = config.senderVerification !== undefined && "trustFrom" in config.senderVerification;
    const parsed = { headers, body, person, root, isUnverified, receivedAtMs: mail.receivedAtMs };
    const message = parseMessage(parsed, { accountId: host.accountId, address: config.address });
    const change = threads.change(person, { root, subject });
    return { type: await host.receive(message, { ...progress, state: [change] }) };
  };

  addTo(health: ChannelHealth): ChannelHealth {
    const { config, guard } = this.#parts;
    if (health.state === "stopped") return health;
    const isDeaf = config.senderVerification === undefined;
    const problems = [
      ...(health.detail === undefined ? [] : [health.detail]),
      ...(isDeaf ? ["no mail is accepted: set senderVerification; factotum channels probe names the value"] : []),
      ...(this.#refused === 0 ? [] : [`${this.#refused} refused since the start, the last one because ${this.#lastReason}`]),
      ...(guard.problem === undefined ? [] : [guard.problem]),
    ];
    if (problems.length === 0) return health;
    return { ...health, state: health.state === "connected" && isDeaf ? "degraded" : health.state, detail: problems.join("; ") };
  }

  #rejection(headers: MailHeaders): EventOutcome | undefined {
    const { config, host } = this.#parts;
    const automatic = automaticReason(headers, config);
    if (automatic !== undefined) {
      if (/report|bounce/.test(automatic))
        host.logger.warn("a mail server reports about an earlier mail; see the folder", { folder: config.folder });
      return { type: "ignored", reason: automatic };
    }
    const proof = proveSender(headers, config.senderVerification);
    if (proof.type === "proved") return undefined;
    return this.#refuse(headers, proof.reason);
  }

  #refuse(headers: MailHeaders, reason: string): EventOutcome {
    this.#refused += 1;
    this.#lastReason = reason;
    this.#parts.host.logger.info("mail refused", { sender: headers.from?.address ?? "unknown", reason });
    return { type: "ignored", reason };
  }
}

/** The depth is that of the IMAP library. */
const UNREADABLE_PARTS = "its parts cannot be read: they are nested too deeply";

/** What a library cannot parse is `undefined`: that mail is lost, and the next one read. A broken connection is not the mail's fault. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PlatformFailure) throw error;
    return undefined;
  }
}

function namedBy({ inReplyTo, references }: MailHeaders): readonly string[] {
  return inReplyTo === undefined ? references.slice(-1) : [inReplyTo];
}
