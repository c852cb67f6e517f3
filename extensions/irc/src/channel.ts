import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, Channel, ChannelHost, Origin } from "@factotum/channel-contract";
import { createReceiveQueue } from "@factotum/channel-kit";
import { capabilitiesOf } from "./capabilities.ts";
import type { IrcConfig } from "./config.ts";
import { createLinkSupervisor, healthOf } from "./connection/link.ts";
import type { Link } from "./connection/link.ts";
import { probe } from "./connection/probe.ts";
import { isChannelTarget, parsePersonId } from "./conversation-id.ts";
import { IrcFailure, toChannelError } from "./errors.ts";
import { createAcceptLine } from "./inbound/accept-line.ts";
import { AccountNicks } from "./network/account-nicks.ts";
import { searchDirectory } from "./network/directory.ts";
import { createSender } from "./outbound/sender.ts";

/** Creates the channel of one account. Connects with `start` or the first send. */
export function createIrcChannel(config: IrcConfig, host: ChannelHost): Channel {
  const received = createReceiveQueue(host);
  const nicks = new AccountNicks(host);
  const accept = createAcceptLine({ host, nicks, received });
  let evidenceAtMs: number | undefined;
  const supervisor = createLinkSupervisor({
    config,
    host,
    onLine: (line, link) => {
      evidenceAtMs = host.clock.now();
      accept(line, link);
    },
  });
  const connect = async ({ signal }: CallOptions): Promise<Link> => {
    if (supervisor.state === "idle" || supervisor.state === "connecting") await supervisor.start({ signal });
    const { connection, failure } = supervisor;
    if (connection !== undefined) return connection;
    throw failure instanceof IrcFailure ? failure : new IrcFailure({ type: "unreachable" }, "there is no connection", { cause: failure });
  };
  const sender = createSender({ host, nicks, connect });
  let stopped: Promise<void> | undefined;
  const stop = async (options: CallOptions): Promise<void> => {
    await sender.stop(options);
    await supervisor.stop(options);
    await received.stop(options);
  };

  return {
    capabilities: capabilitiesOf(config.flood),
    start: (options) => mapped(supervisor.start(options)),
    handleWebhook: () => Promise.resolve(new Response(null, { status: 404 })),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: ({ name }) => Promise.reject(refusal("rejected", `this channel does not do ${name}`)),
    fetchAttachment: () => Promise.reject(refusal("not-found", "messages of this channel have no attachments")),
    fetchContext: () => Promise.resolve({}),
    resolveTarget: (query) => Promise.resolve(resolveTarget(query, host.accountId)),
    health: () => received.addTo(healthOf(supervisor, evidenceAtMs)),
    probe: (options) => mapped(probe(config, host, options)),
    directory: (query, options) => mapped(connect(options).then((link) => searchDirectory(link, query, options))),
    stop: (options) => (stopped ??= stop(options)),
  };
}

async function mapped<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toChannelError(error);
  });
}

function refusal(code: "rejected" | "not-found", message: string): ChannelError {
  return new ChannelError(code, message, { retry: { type: "never" } });
}

/** `account:…` and `nick:…` for people, names that begin with # for channels, each also behind `user:` or `channel:`. */
function resolveTarget(query: string, accountId: string): Origin | undefined {
  const id = query.trim().replace(/^(?:user|channel|group):/, "");
  if (parsePersonId(id) !== undefined) return { channel: "irc", accountId, conversation: { kind: "direct", id } };
  return isChannelTarget(id) ? { channel: "irc", accountId, conversation: { kind: "channel", id } } : undefined;
}
