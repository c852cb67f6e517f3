import type { PairedSender } from "@factotum/protocol";
import { loadConfig } from "@factotum/config";
import { configOptions } from "../compose/extensions.ts";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { foreignText } from "../runtime/foreign-text.ts";
import { relativeTime } from "../runtime/relative-time.ts";
import { describeRequest, describeSender } from "./pairing-lines.ts";

/** Lists people who ask to be admitted, and those who were. */
export async function pairingList(cli: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const found = await gateway.client.request("pairing.list", {}, { signal: cli.signal });
    const nowMs = Date.now();
    if (json) printJson(cli, found);
    else {
      for (const request of found.pending) cli.print(`${describeRequest(request, nowMs)}\n`);
      for (const sender of found.approved)
        cli.print(`admitted  ${describeSender(sender)}, as ${sender.owner ? "an owner" : "a guest"}${sinceText(sender, nowMs)}\n`);
      if (found.pending.length === 0) cli.note("factotum: nobody asks to be admitted\n");
    }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Admits the person with a code. */
export async function pairingApprove(
  cli: CliContext,
  code: string,
  { guest, json }: { readonly guest: boolean; readonly json: boolean },
): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const result = await gateway.client.request("pairing.approve", { code, guest }, { signal: cli.signal });
    if (json) printJson(cli, result);
    else {
      const { sender } = result;
      const role = sender.owner ? "" : " as a guest";
      cli.print(`${describeSender(sender)} may talk to the assistant${role} from now on, and gets a message that says so.\n`);
      if (result.owner) cli.print("This person is the owner now: commands.ownerAllowFrom was empty.\n");
      else if (!guest && !sender.owner) cli.note(guestNote(sender));
    }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Only the first approval of all makes an owner. */
function guestNote({ channel, accountId, senderId }: PairedSender): string {
  return `If it is you, or another owner: factotum access allow ${channel}:${accountId} ${foreignText(senderId)} --owner\n`;
}

/** Refuses the person with a code. */
export async function pairingReject(cli: CliContext, code: string, { json }: { readonly json: boolean }): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const result = await gateway.client.request("pairing.reject", { code }, { signal: cli.signal });
    if (json) printJson(cli, result);
    else cli.print(`${describeSender(result.request)} is not admitted, and gets no other code for an hour.\n`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Withdraws an admission. `account` is `channel:account`. */
export async function pairingRevoke(
  cli: CliContext,
  { account, id, json }: { readonly account: string; readonly id: string; readonly json: boolean },
): Promise<number> {
  const [channel = "", accountId = "default"] = account.split(":");
  using gateway = await connectGateway(cli);
  try {
    const { revoked } = await gateway.client.request("pairing.revoke", { channel, accountId, senderId: id }, { signal: cli.signal });
    if (!revoked)
      throw new CliError("failure", `${foreignText(id)} was not admitted by pairing on ${channel}/${accountId}.`, {
        fix: 'See who was: factotum pairing list. Ids of the configuration are changed there: "factotum config get channels".',
      });
    if (json) printJson(cli, { revoked });
    else cli.print(`${foreignText(id)} can no longer talk to the assistant on ${channel}/${accountId}.\n`);
    await noteOtherPlaces(cli, { channel, accountId, id });
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** The configuration may admit the person regardless. */
async function noteOtherPlaces(
  cli: CliContext,
  { channel, accountId, id }: { readonly channel: string; readonly accountId: string; readonly id: string },
): Promise<void> {
  const loaded = await loadConfig(await configOptions(cli.env));
  if (loaded.type === "refused") return;
  const { commands, channels } = loaded.config;
  const places = [
    ...([`${channel}:${id}`, `${channel}/${accountId}:${id}`].some((entry) => commands.ownerAllowFrom.includes(entry))
      ? ["commands.ownerAllowFrom"]
      : []),
    ...(channels[channel]?.accounts[accountId]?.allowFrom.includes(id) === true ? [`allowFrom of ${channel}/${accountId}`] : []),
  ];
  if (places.length > 0) cli.note(`factotum: the configuration still admits this person: ${places.join(", ")}\n`);
}

function sinceText({ approvedAtMs }: PairedSender, nowMs: number): string {
  return approvedAtMs === undefined ? "" : `, ${relativeTime(approvedAtMs, nowMs)}`;
}
