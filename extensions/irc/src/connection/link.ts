import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { connectionHealth, createConnectionSupervisor } from "@factotum/channel-kit";
import type { ConnectionSupervisor, SupervisedConnection } from "@factotum/channel-kit";
import type { IrcConfig } from "../config.ts";
import { IrcFailure } from "../errors.ts";
import type { IrcLine } from "../network/irc-line.ts";
import { Members } from "../network/members.ts";
import { ChannelJoiner } from "./channel-joiner.ts";
import { NickKeeper } from "./nick-keeper.ts";
import { IrcSession } from "./session.ts";

/** Minimum delays before another attempt: after a throttle, and after a refusal that only a person can end. */
const THROTTLED_MS = 60_000;
const UNAUTHORIZED_MS = 5 * 60_000;

/** A connection that is in its channels. */
export interface Link extends SupervisedConnection {
  readonly session: IrcSession;
  readonly members: Members;
  readonly joiner: ChannelJoiner;
  readonly nicks: NickKeeper;
}

/** Dependencies of the connection of an account. */
export interface LinkParts {
  readonly config: IrcConfig;
  readonly host: ChannelHost;
  /** Called with every line of the server, from the first on that may be a message. */
  readonly onLine: (line: IrcLine, link: Link) => void;
}

/** Keeps the account connected. */
export function createLinkSupervisor(parts: LinkParts): ConnectionSupervisor<Link> {
  const { host } = parts;
  return createConnectionSupervisor<Link>({
    open: (options) => openLink(parts, options),
    clock: host.clock,
    random: host.random,
    minDelayMs: (failure) => {
      const type = failure instanceof IrcFailure ? failure.reason.type : undefined;
      return type === "throttled" ? THROTTLED_MS : type === "unauthorized" ? UNAUTHORIZED_MS : 0;
    },
    onRetry: (failure, delayMs) => host.logger.warn("irc connection lost", { delayMs, reason: failure.message }),
  });
}

/** The health of the inbound path. */
export function healthOf(supervisor: ConnectionSupervisor<Link>, evidenceAtMs: number | undefined): ChannelHealth {
  const { connection } = supervisor;
  const missing = connection?.joiner.problem;
  const health = connectionHealth(supervisor, { evidenceAtMs, missing });
  // Another nickname is logged; the connection is as good.
  const nick = connection?.nicks.problem;
  return nick === undefined ? health : { ...health, detail: missing === undefined ? nick : `${missing}; ${nick}` };
}

/** Connects, logs in and joins the channels; rejects with an IrcFailure. */
export async function openLink({ config, host, onLine }: LinkParts, { signal }: CallOptions): Promise<Link> {
  const session = await IrcSession.open({ config, host }, { signal });
  const members = new Members(session.facts);
  session.listen((line) => members.learn(line, session.nick));
  const link: Link = {
    session,
    members,
    joiner: new ChannelJoiner(session, config, host),
    nicks: new NickKeeper(session, config.nick, host),
    ended: session.ended,
    close: (options) => session.close(options),
  };
  session.listen((line) => onLine(line, link));
  session.onEnd(() => {
    link.joiner[Symbol.dispose]();
    link.nicks[Symbol.dispose]();
  });
  try {
    await link.joiner.joinAll(signal);
  } catch (error) {
    await session.close({ signal: AbortSignal.abort() });
    throw error;
  }
  host.logger.info("irc connected", { nick: session.nick, channels: config.channels.length });
  return link;
}
