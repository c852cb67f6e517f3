import { CliError } from "../runtime/cli-error.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { requestError, type ConnectedGateway } from "./connect-gateway.ts";
import { RpcError } from "./rpc-errors.ts";

/** The one key without a prefix. */
const GLOBAL = "global";
const KEY = /^(?:agent:[^:]+:.*[^:].*|(?:cron|hook):[^:]+.*)$/i;
const ADVICE = 'Write "main", an agent, a name or a key as "factotum sessions list" shows it, such as agent:main:main.';

/**
 * The key of a session that a person names: by its key, as `main` (the default agent's main session), by an agent's id (its main session) or by the name that
 * the session was given. Rejects with a `CliError` (`usage`) for what none of these is.
 */
export async function sessionKeyOf(written: string, context: CliContext, { client }: ConnectedGateway): Promise<string> {
  const name = written.trim();
  if (name === GLOBAL || KEY.test(name)) return name;
  if (name === "" || name.includes(":")) throw new CliError("usage", `"${written}" is no session.`, { fix: ADVICE });
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
