import { withoutUndefined } from "@factotum/agent-contract";
import { loadConfig } from "@factotum/config";
import { configOptions } from "../compose/extensions.ts";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { accountOf } from "./channels.ts";
import { refusedStart } from "../runtime/refused-start.ts";

/** What is sent without `--text`. */
const TEST_TEXT = "This is a test message. The assistant can write to you here.";

/** Options of `channels test`. */
export interface ChannelTestOptions {
  /** A person or a conversation; the owner by default. */
  readonly to?: string;
  readonly text?: string;
  readonly json: boolean;
}

/** Sends a test message by an account of the running gateway, and prints what the platform said. */
export async function channelsTest(
  context: CliContext,
  named: string,
  { to, text = TEST_TEXT, json }: ChannelTestOptions,
): Promise<number> {
  const account = await addressOf(context, named);
  using gateway = await connectGateway(context);
  try {
    const { signal } = context;
    const result = await gateway.client.request("channels.test", { ...account, text, ...withoutUndefined({ to }) }, { signal });
    if (json) printJson(context, result);
    else if (result.type === "accepted") context.print(`Sent to ${result.to}; the platform took it.\n`);
    else if (result.type === "no-recipient")
      throw new CliError("usage", to === undefined ? "No owner is known there." : `There is no ${to} there.`, {
        fix: "Say whom to write to: --to ID. Or write to the account first, and approve the code: factotum pairing list",
      });
    else if (result.type === "rejected") throw new CliError("failure", `Nothing was shown to ${result.to}: ${result.reason}`);
    else throw new CliError("failure", `It is not known whether it was shown to ${result.to}: ${result.reason}`);
    return result.type === "accepted" ? EXIT.ok : EXIT.failure;
  } catch (error) {
    throw requestError(error);
  }
}

/** Starts an account of the running gateway again. */
export async function channelsRestart(context: CliContext, named: string, { json }: { readonly json: boolean }): Promise<number> {
  const account = await addressOf(context, named);
  using gateway = await connectGateway(context);
  try {
    const { signal } = context;
    await gateway.client.request("channels.restart", account, { signal });
    const { channels } = await gateway.client.request("status", {}, { signal });
    const status = channels.find(({ channel, accountId }) => channel === account.channel && accountId === account.accountId);
    if (json) printJson(context, status ?? {});
    else
      context.print(
        `${account.channel}/${account.accountId} was started again: ${status?.state ?? "unknown"}${status?.detail === undefined ? "" : ` (${status.detail})`}\n`,
      );
    return status?.state === "failed" ? EXIT.failure : EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

async function addressOf({ env }: CliContext, named: string): Promise<{ readonly channel: string; readonly accountId: string }> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  const { channel, accountId } = accountOf(named, loaded);
  return { channel, accountId };
}
