import { messageId } from "@factotum/channel-contract";
import type { ChannelHost, Markdown, Media, MessageId, Origin, Outbound, SendOptions, SendReceipt } from "@factotum/channel-contract";
import { createSendQueue, measure, rejectedReceipt } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import { MAX_FILE_BYTES, MAX_FILES, MAX_TEXT_LENGTH } from "../capabilities.ts";
import { addressId } from "../conversation-id.ts";
import { refusal, toReceipt } from "../errors.ts";
import type { LoopGuard } from "../inbound/loop-guard.ts";
import { loadSmtp } from "../load-libraries.ts";
import type { MailAccount } from "../login/logins.ts";
import { isMessageId, messageIdOf, threadHash } from "../message-id.ts";
import { parseReplyContext } from "../reply-context.ts";
import type { MailReplyContext } from "../reply-context.ts";
import type { KnownThreads } from "../state/known-threads.ts";
import type { SendMarks } from "../state/send-marks.ts";
import { deliverMail } from "./deliver-mail.ts";
import { renderMail, subjectOf } from "./render-mail.ts";

/** Dependencies of a sender. */
export interface SenderParts extends MailAccount {
  readonly host: Pick<ChannelHost, "clock" | "logger" | "state">;
  readonly threads: KnownThreads;
  readonly guard: LoopGuard;
  readonly marks: SendMarks;
  /** Stores a copy of a mail that was accepted. Does not reject. */
  readonly keepCopy: (source: Buffer) => void;
}

interface Content {
  readonly text: Markdown;
  readonly files: readonly Media[];
  readonly replyTo: MessageId | undefined;
}

/** Makes a sender: one mail per send, on a connection of its own, mails of one person in order. */
export function createSender(parts: SenderParts): Sender {
  const { config, logins, host, guard, marks, keepCopy } = parts;
  const queue = createSendQueue(host, { toReceipt });

  const sendMail = async (to: string, thread: string | undefined, content: Content, options: SendOptions): Promise<SendReceipt> => {
    const { answered, root } = await placeOf(parts, { to, thread, content }, options.replyContext);
    const id = messageIdOf(options.idempotencyKey, { address: config.address, root });
    const subject = subjectOf(content, answered);
    // A reply to an earlier mail keeps its place in the thread.
    const inReplyTo = content.replyTo ?? answered?.messageId;
    const references = [
      ...new Set([
        ...(answered?.references ?? []),
        ...(answered === undefined ? [] : [answered.messageId]),
        ...(inReplyTo === undefined ? [] : [inReplyTo]),
      ]),
    ];
    const { Composer } = await loadSmtp();
    const mail = { to, messageId: id, subject, inReplyTo, references, ...content, atMs: host.clock.now() };
    const source = await new Composer(renderMail(mail, { address: config.address, name: config.name })).compile().build();
    await deliverMail({ config, logins }, { to, source }, { signal: options.signal, beforeSend: () => marks.set(id) });
    guard.recordSent({ id, person: to, subject });
    keepCopy(source);
    return { type: "accepted", messageIds: [messageId(id)] };
  };

  return {
    send(target, outbound, options) {
      const to = addressId(target.conversation.id);
      return queue.run({ key: to ?? "", outbound, signal: options.signal }, async ({ signal }) => {
        const content = contentOf(outbound);
        if ("type" in content) return content;
        if (to === undefined || target.conversation.kind !== "direct") return rejectedReceipt("not-found", "this is not an address");
        return sendMail(to, target.conversation.threadId, content, { ...options, signal });
      });
    },
    stop: (options) => queue.stop(options),
  };
}

/** The mail that a send answers, and the first one of its thread; neither for one that begins a thread. */
async function placeOf(
  { host, threads }: SenderParts,
  {
    to,
    thread,
    content: { replyTo },
  }: { readonly to: string; readonly thread: Origin["conversation"]["threadId"]; readonly content: Content },
  data: string | undefined,
): Promise<{ readonly answered: MailReplyContext | undefined; readonly root: string | undefined }> {
  if (replyTo !== undefined && !isMessageId(replyTo)) throw refusal("not-found", "this is not the id of a mail");
  if (thread !== undefined && !isMessageId(thread)) throw refusal("not-found", "this is not a thread");
  const context = parseReplyContext(data);
  const root = thread ?? context?.references[0] ?? context?.messageId ?? replyTo;
  if (root === undefined) return { answered: undefined, root };
  const known = await threads.find(to, threadHash(root));
  const answered = context ?? { messageId: root, references: [], subject: known?.subject ?? "" };
  if (known === undefined) {
    // An answer to this mail may name it alone.
    const { value, key, ...rest } = setOf(threads.change(to, { root, subject: answered.subject }));
    await host.state.set(key, value, rest);
  }
  return { answered, root };
}

function setOf(change: ReturnType<KnownThreads["change"]>): ReturnType<KnownThreads["change"]> & { readonly type: "set" } {
  if (change.type !== "set") throw new TypeError("a thread is kept by a row");
  return change;
}

/** What is sent, or why not. */
function contentOf(outbound: Outbound): Content | SendReceipt {
  switch (outbound.type) {
    case "text":
      if (outbound.text.trim() === "") return rejectedReceipt("rejected", "the text is empty");
      return checked({ text: outbound.text, files: [], replyTo: outbound.replyTo });
    case "media":
      return checked({ text: outbound.caption ?? "", files: [outbound.media], replyTo: outbound.replyTo });
    case "album":
      if (outbound.media.length === 0) return rejectedReceipt("rejected", "there is no file");
      return checked({ text: outbound.caption ?? "", files: outbound.media, replyTo: outbound.replyTo });
    case "edit":
    case "delete":
    case "reaction":
    case "poll":
    case "card":
    case "edit-card":
    case "stream":
    case "typing":
      return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
  }
}

function checked(content: Content): Content | SendReceipt {
  if (measure(content.text, "utf16") > MAX_TEXT_LENGTH)
    return rejectedReceipt("too-long", `the text has more than ${MAX_TEXT_LENGTH} characters`);
  if (content.files.length > MAX_FILES) return rejectedReceipt("too-long", `a mail has at most ${MAX_FILES} files`);
  if (content.files.reduce((sum, { bytes }) => sum + bytes.length, 0) > MAX_FILE_BYTES)
    return rejectedReceipt("too-long", `the files have more than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
  return content;
}
