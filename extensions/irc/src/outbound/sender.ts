import type { CallOptions, ChannelHost, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { createSendQueue, rejectedReceipt, textProblem } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import { MAX_TEXT_BYTES } from "../capabilities.ts";
import type { Link } from "../connection/link.ts";
import { isChannelTarget, parsePersonId } from "../conversation-id.ts";
import { IrcFailure, toReceipt } from "../errors.ts";
import type { AccountNicks } from "../network/account-nicks.ts";
import { deliverLines } from "./deliver-lines.ts";
import { renderLines } from "./render-lines.ts";

/** Dependencies of a sender. */
export interface SenderParts {
  readonly host: Pick<ChannelHost, "clock" | "logger" | "random">;
  readonly nicks: AccountNicks;
  /** The connection; rejects with an IrcFailure if there is none. */
  readonly connect: (options: CallOptions) => Promise<Link>;
}

/** A send that waited longer for its turn is refused for now: it could run into the caller's time limit halfway. */
const MAX_WAIT_MS = 20_000;

/** Makes a sender: one text after the other, since the network limits the account's lines and answers them in order. */
export function createSender({ host, nicks, connect }: SenderParts): Sender {
  const queue = createSendQueue(host, { toReceipt });

  const sendText = async (target: Origin, outbound: Outbound, signal: AbortSignal): Promise<SendReceipt> => {
    if (outbound.type !== "text") return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
    if (outbound.onlyFor !== undefined && target.conversation.kind !== "direct")
      return rejectedReceipt("rejected", "everyone in a channel sees its messages");
    const problem = textProblem(outbound.text, { maxLength: MAX_TEXT_BYTES, unit: "bytes" });
    if (problem !== undefined) return problem;
    const { id } = target.conversation;
    const person = parsePersonId(id);
    if (person === undefined && !isChannelTarget(id)) return rejectedReceipt("not-found", "this is no channel, account or nickname");
    const link = await connect({ signal });
    if (link.joiner.isMissing(id)) throw new IrcFailure({ type: "unreachable" }, `not in ${id} at the moment`);
    const to = person === undefined ? id : person.type === "nick" ? person.name : await nicks.nickOf(person.name, link, { signal });
    const { session } = link;
    const lines = renderLines(outbound.text, { maxBytes: session.facts.textBytes(session.nick, to), mentions: outbound.mentions });
    if (lines.length === 0) return rejectedReceipt("rejected", "nothing of the text can be shown");
    const messageIds = await deliverLines({ target: to, lines, createId: () => host.random.uuid() }, link, { signal });
    return { type: "accepted", messageIds };
  };

  return {
    send(target, outbound, { signal }) {
      const sinceMs = host.clock.monotonic();
      return queue.run({ key: "account", outbound, signal }, async (options) =>
        host.clock.monotonic() - sinceMs > MAX_WAIT_MS
          ? rejectedReceipt("rate-limited", "the network limits the lines of an account", "backoff")
          : sendText(target, outbound, options.signal),
      );
    },
    stop: (options) => queue.stop(options),
  };
}
