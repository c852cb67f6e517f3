import { randomUUID } from "node:crypto";
import { withoutUndefined } from "@factotum/agent-contract";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";

/** Says something to an agent through the gateway and prints its answer. */
export async function agent(
  context: CliContext,
  options: { readonly message: string; readonly agent?: string; readonly session?: string; readonly json: boolean },
): Promise<number> {
  using gateway = await connectGateway(context);
  const params = {
    message: options.message,
    idempotencyKey: randomUUID(),
    ...withoutUndefined({ agentId: options.agent, sessionKey: options.session }),
  };
  try {
    const result = await gateway.client.request("agent", params, { signal: context.signal });
    const { text, remarks = [], notices = [], thoughts } = result;
    if (options.json) printJson(context, result);
    else {
      if (thoughts !== undefined) context.note(`${thoughts.replaceAll(/^/gm, "> ")}\n`);
      if (text !== "") context.print(`${text}\n`);
      for (const remark of [...remarks, ...notices]) context.note(`factotum: ${remark}\n`);
    }
    if (result.outcome.type === "done") return EXIT.ok;
    if (!options.json)
      context.note(`factotum: the run ${result.outcome.type === "failed" ? "failed" : "was stopped"}: ${result.outcome.message ?? ""}\n`);
    return EXIT.failure;
  } catch (error) {
    throw requestError(error);
  }
}
