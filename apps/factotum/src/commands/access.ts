import type { DmPolicy, GroupPolicy } from "@factotum/protocol";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { renderTable } from "../runtime/render-table.ts";
import { changeAccess, namedAccount, readAccess } from "../accounts/account-access.ts";

/** The party to admit, and its role. */
export interface AccessOptions {
  /** `channel:account`, or a channel with a single account. */
  readonly account: string;
  /** The platform's own. */
  readonly id: string;
  /** As the owner: on this account, and for the account `default` on all whose ids are the platform's. */
  readonly owner: boolean;
  /** The id is a group's. */
  readonly group: boolean;
  readonly json: boolean;
}

/** Admits a person or a group in the configuration, which a running gateway applies at once. */
export async function accessAllow(context: CliContext, options: AccessOptions): Promise<number> {
  const { id, owner, group, json } = options;
  const as = roleOf(options);
  const { channel, accountId } = await namedAccount(context.env, options.account);
  const changed = await changeAccess(context.env, { channel, accountId }, { type: "allow", id, as });
  const reloaded = changed ? await reloadGateway(context) : undefined;
  if (json) {
    printJson(context, { channel, accountId, id, as, changed });
    return EXIT.ok;
  }
  const role = owner ? "is the owner" : group ? "is an admitted group" : "may talk to the assistant";
  if (!changed) context.print(`${id} ${role} already.\n`);
  else {
    context.print(
      `${id} ${role} on ${owner && accountId === "default" ? channel : `${channel}/${accountId}`} from now on. A message that was refused is not answered later: write again.\n`,
    );
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

/** Takes the entry of a person or a group back, which a running gateway applies at once. */
export async function accessRemove(context: CliContext, options: AccessOptions): Promise<number> {
  const { id, json } = options;
  const as = roleOf(options);
  const { channel, accountId } = await namedAccount(context.env, options.account);
  const changed = await changeAccess(context.env, { channel, accountId }, { type: "remove", id, as });
  const reloaded = changed ? await reloadGateway(context) : undefined;
  if (json) printJson(context, { channel, accountId, id, as, changed });
  else if (!changed) context.print(`The configuration does not name ${id} there.\n`);
  else {
    context.print(`${id} is not admitted by the configuration on ${channel}/${accountId} from now on.\n`);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

/** Shows who may write to an account, by the configuration. */
export async function accessList(context: CliContext, named: string, { json }: { readonly json: boolean }): Promise<number> {
  const access = await readAccess(context.env, await namedAccount(context.env, named));
  if (json) {
    printJson(context, access);
    return EXIT.ok;
  }
  const rows = [
    ["direct messages", access.dmPolicy],
    ["groups", access.groupPolicy],
    ["owners", access.owners.join(", ")],
    ["people", access.allowFrom.join(", ")],
    ["admitted groups", access.groups.join(", ")],
  ];
  context.print(renderTable(["WHO", "VALUE"], rows));
  return EXIT.ok;
}

/** Sets who may write at all. */
export async function accessPolicy(
  context: CliContext,
  named: string,
  { direct, groups, json }: { readonly direct?: DmPolicy; readonly groups?: GroupPolicy; readonly json: boolean },
): Promise<number> {
  if (direct === undefined && groups === undefined)
    throw new CliError("usage", "Nothing is to be set.", { fix: "Give --direct POLICY, --groups POLICY, or both." });
  const address = await namedAccount(context.env, named);
  const changed = await changeAccess(context.env, address, { type: "policy", dmPolicy: direct, groupPolicy: groups });
  const reloaded = changed ? await reloadGateway(context) : undefined;
  if (json) printJson(context, { ...address, changed, ...(await readAccess(context.env, address)) });
  else {
    context.print(changed ? `Who may write to ${address.channel}/${address.accountId} is changed.\n` : "That holds already.\n");
    if (changed) context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

function roleOf({ owner, group }: Pick<AccessOptions, "owner" | "group">): "owner" | "group" | "guest" {
  if (owner && group) throw new CliError("usage", "A group cannot be the owner.", { fix: "Give --owner or --group, not both." });
  return owner ? "owner" : group ? "group" : "guest";
}
