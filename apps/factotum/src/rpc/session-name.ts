import { CliError } from "../runtime/cli-error.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { requestError, type ConnectedGateway } from "./connect-gateway.ts";
import { RpcError } from "./rpc-errors.ts";

/** The one key without a prefix. */
const GLOBAL = "global";
const KEY = /^(?:agent:[^:]+:.*[^:].*|(?:cron|hook):[^:]+.*)$/i;
const ADVICE = 'Write "main", an agent, a name or a key as "factotum sessions list" shows it, such as agent:main:main.';

/** The name of a session as a person writes it: its key, or a name that only the gateway can resolve. */
type SessionName = { readonly type: "key"; readonly key: string } | { readonly type: "name"; readonly name: string };

/** Parses the name of a session, without a gateway. Throws a `CliError` (`usage`) for an invalid one. */
export function parseSessionName(written: string): SessionName {
  const name = written.trim();
  if (name === GLOBAL || KEY.test(name)) return { type: "key", key: name };
  if (name === "" || name.includes(":")) throw new CliError("usage", `"${written}" is no session.`, { fix: ADVICE });
  return { type: "name", name };
}

/**
 * The key of a session: a name is `main` (the default agent's main session), an agent's id (its main session) or the assigned name of a session. Rejects with a
 * `CliError` (`usage`) for any other name.
 */
export async function sessionKeyOf(written: SessionName, context: CliContext, { client }: ConnectedGateway): Promise<string> {
  if (written.type === "key") return written.key;
  const { name } = written;
  const { signal } = context;
  try {
    const { agents } = await client.request("agents.list", {}, { signal });
    const agent = name === "main" ? agents.find(({ isDefault }) => isDefault) : agents.find(({ id }) => id === name.toLowerCase());
    if (agent !== undefined) return agent.mainSessionKey;
    return (await client.request("sessions.resolve", { label: name }, { signal })).session.key;
  } catch (error) {
    if (error instanceof RpcError && error.code === "not-found")
      throw new CliError("usage", `There is no session "${name}".`, { cause: error, fix: ADVICE });
    throw requestError(error);
  }
}
