import { withoutUndefined } from "@factotum/agent-contract";
import { requestGateway } from "../rpc/request-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";

/** UTF-16 units that the model is shown of an event. */
const MAX_CHARS = 1000;

/** An event as it is written on the command line. */
export interface EventOptions {
  readonly text: string;
  readonly agent?: string;
  readonly session?: string;
  readonly mode: "now" | "next-heartbeat";
  readonly json: boolean;
}

/** Shows a text to the next turn of a session. */
export async function systemEvent(cli: CliContext, { text, agent, session, mode, json }: EventOptions): Promise<number> {
  if (text.trim() === "") throw new CliError("usage", "An event needs a text.", { fix: "Name it with --text." });
  if (text.length > MAX_CHARS)
    throw new CliError("usage", `An event has at most ${MAX_CHARS} characters.`, {
      fix: "Shorten the text, or write it into a file and name the file.",
    });
  const params = { text, wake: mode, ...withoutUndefined({ agentId: agent, sessionKey: session }) };
  const result = await requestGateway(cli, "system.event", params);
  if (json) printJson(cli, result);
  else cli.print(`The next turn of ${result.sessionKey} shows it.\n`);
  if (result.note !== undefined && !json) cli.note(`factotum: ${result.note}\n`);
  return EXIT.ok;
}
