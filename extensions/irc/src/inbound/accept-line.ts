import type { ChannelHost } from "@factotum/channel-contract";
import type { ReceiveQueue } from "@factotum/channel-kit";
import type { Link } from "../connection/link.ts";
import type { AccountNicks } from "../network/account-nicks.ts";
import type { IrcLine } from "../network/irc-line.ts";
import { parseMessage, personOf } from "./parse-message.ts";

/** Dependencies of the entry point. */
export interface AcceptLineParts {
  readonly host: Pick<ChannelHost, "accountId" | "clock">;
  readonly nicks: AccountNicks;
  readonly received: ReceiveQueue;
}

/** The single entry point for lines: passes messages on, in their order, and answers nothing. */
export function createAcceptLine({ host, nicks, received }: AcceptLineParts): (line: IrcLine, link: Link) => void {
  let count = 0;
  return (line, { session, members }) => {
    nicks.follow(line);
    const context = {
      accountId: host.accountId,
      facts: session.facts,
      members,
      self: session.nick,
      nowMs: host.clock.now(),
      createId: () => {
        count += 1;
        return `${session.id}-${count}`;
      },
    };
    const message = parseMessage(line, context);
    if (message === undefined) return;
    const state = nicks.learn(personOf(line, context), line.nick);
    received.add(message, state.length === 0 ? undefined : { state });
  };
}
