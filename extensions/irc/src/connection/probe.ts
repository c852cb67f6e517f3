import type { CallOptions, ChannelHost, ProbeResult } from "@factotum/channel-contract";
import type { IrcConfig } from "../config.ts";
import { personId } from "../conversation-id.ts";
import { openLink } from "./link.ts";

/**
 * Connects a second time, logs in, joins the channels and leaves. Names the account, or the nickname without one, and the channels that cannot be joined. Beside a
 * running connection it has another nickname. Messages that arrive meanwhile are not read. Rejects with an IrcFailure.
 */
export async function probe(config: IrcConfig, host: ChannelHost, options: CallOptions): Promise<ProbeResult> {
  const link = await openLink({ config, host, onLine: () => undefined }, options);
  try {
    const { session, joiner } = link;
    const { sasl } = config;
    const person =
      sasl === undefined ? ({ type: "nick", name: session.nick } as const) : ({ type: "account", name: sasl.account } as const);
    return {
      account: { id: personId({ ...person, name: session.facts.fold(person.name) }), name: session.nick },
      missingPermissions: joiner.missing,
    };
  } finally {
    await link.close(options);
  }
}
