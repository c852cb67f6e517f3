import { ChannelError } from "@factotum/channel-contract";
import type { Channel, ChannelHost } from "@factotum/channel-contract";
import { EMAIL_CAPABILITIES } from "./capabilities.ts";
import type { EmailConfig } from "./config.ts";
import { addressId } from "./conversation-id.ts";
import { toChannelError } from "./errors.ts";
import { fetchAttachment } from "./fetch-attachment.ts";
import { createAcceptMail } from "./inbound/accept-mail.ts";
import { createLoopGuard } from "./inbound/loop-guard.ts";
import { createLogins } from "./login/logins.ts";
import { messageIdOf } from "./message-id.ts";
import { createSender } from "./outbound/sender.ts";
import { createCopyKeeper, reconcile } from "./outbound/sent-folder.ts";
import { probe } from "./probe.ts";
import { parseReplyContext } from "./reply-context.ts";
import { resolveTarget } from "./resolve-target.ts";
import { createKnownThreads } from "./state/known-threads.ts";
import { createSendMarks } from "./state/send-marks.ts";
import { createMailbox } from "./transport/mailbox.ts";

/** Creates the channel of one account. Connects with `start` or the first send. */
export function createEmailChannel(given: EmailConfig, host: ChannelHost): Channel {
  // Ids are compared with it.
  const config = { ...given, address: addressId(given.address) ?? given.address.toLowerCase() };
  const lives = new AbortController();
  const logins = createLogins(config, { host, signal: lives.signal });
  const account = { config, logins };
  const threads = createKnownThreads(host);
  const guard = createLoopGuard(host);
  const marks = createSendMarks(host);
  const mails = createAcceptMail({ config, host, threads, guard });
  const mailbox = createMailbox({ ...account, host, accept: mails.accept });
  const keepCopy = createCopyKeeper(config, host, { mailbox, signal: lives.signal });
  const sender = createSender({ ...account, host, threads, guard, marks, keepCopy });
  let stopped: Promise<void> | undefined;

  return {
    capabilities: EMAIL_CAPABILITIES,
    start: (options) => mapped(mailbox.start(options)),
    handleWebhook: () => Promise.resolve(new Response(null, { status: 404 })),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: ({ name }) => Promise.reject(new ChannelError("rejected", `this channel does not do ${name}`, { retry: { type: "never" } })),
    fetchAttachment: (ref, options) => fetchAttachment(mailbox, ref, options),
    fetchContext: () => Promise.resolve({}),
    resolveTarget: (query) => Promise.resolve(resolveTarget(query, host.accountId)),
    health: () => mails.addTo(mailbox.health()),
    probe: (options) => mapped(probe(account, options)),
    reconcile: ({ conversation: { threadId } }, outbound, { idempotencyKey, replyContext, sentAtMs, signal }) => {
      const context = parseReplyContext(replyContext);
      const replyTo = "replyTo" in outbound ? outbound.replyTo : undefined;
      const root = threadId ?? context?.references[0] ?? context?.messageId ?? replyTo;
      return reconcile({ ...account, marks }, { id: messageIdOf(idempotencyKey, { address: config.address, root }), sentAtMs }, { signal });
    },
    stop: (options) => {
      stopped ??= sender
        .stop(options)
        .then(() => mailbox.stop(options))
        .finally(() => lives.abort());
      return stopped;
    },
  };
}

async function mapped<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toChannelError(error);
  });
}
