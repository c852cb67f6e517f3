import type { DamageEvent } from "@factotum/protocol";
import { CliError } from "../runtime/cli-error.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";

/** Lists unacknowledged damage of the stored state. */
export async function damageList(cli: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const result = await gateway.client.request("damage.list", {}, { signal: cli.signal });
    if (json) printJson(cli, result);
    else {
      for (const event of result.events) cli.print(`${describeEvent(event)}\n`);
      if (result.events.length === 0) cli.note("factotum: there is no damage that nobody has acknowledged\n");
    }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Acknowledges damage: the named events, or all without ids. From then on snapshots of a lost database may be removed. */
export async function damageAcknowledge(cli: CliContext, ids: readonly string[], { json }: { readonly json: boolean }): Promise<number> {
  using gateway = await connectGateway(cli);
  const result = await gateway.client
    .request("damage.acknowledge", ids.length === 0 ? {} : { ids }, { signal: cli.signal })
    .catch((error: unknown) => {
      throw requestError(error);
    });
  const unknown = ids.filter((id) => !result.acknowledged.some((event) => event.id === id));
  if (unknown.length > 0)
    throw new CliError("failure", `There is no unacknowledged damage ${unknown.join(", ")}.`, {
      fix: '"factotum damage list" shows what there is.',
    });
  if (json) printJson(cli, result);
  else cli.print(`${result.acknowledged.length} acknowledged.\n`);
  return EXIT.ok;
}

/** An event as one line. */
export function describeEvent({ id, atMs, text, count, sessionKey, path }: DamageEvent): string {
  const facts = [
    ...(count === 1 ? [] : [`${count} times`]),
    ...(sessionKey === undefined ? [] : [sessionKey]),
    ...(path === undefined ? [] : [path]),
  ];
  return `${id}  ${new Date(atMs).toISOString()}  ${text}${facts.length === 0 ? "" : ` (${facts.join("; ")})`}`;
}
