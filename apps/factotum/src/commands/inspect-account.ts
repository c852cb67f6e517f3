import type { AccountConfig, FactotumConfig } from "@factotum/config";
import type { ChannelProbe } from "@factotum/protocol";
import { findGateway, requestError, type ConnectedGateway } from "../rpc/connect-gateway.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";

/** What the channel of an account declares, and its probe if it has one. */
export interface InspectedAccount {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly probe: (() => Promise<ChannelProbe>) | undefined;
}

type Address = Pick<AccountConfig, "channel" | "accountId">;

/** Inspects an account in the running gateway, which has its environment and connection; in this process if none runs. */
export async function inspectAccount<Result>(
  context: CliContext,
  { config, account }: { readonly config: FactotumConfig; readonly account: Address },
  work: (inspected: InspectedAccount) => Promise<Result>,
): Promise<Result> {
  using gateway = await findGateway(context);
  if (gateway === undefined) return inHere(context, { config, account }, work);
  // The connection ends with this scope.
  return await work(await inGateway(gateway, account, context));
}

async function inGateway({ client }: ConnectedGateway, { channel, accountId }: Address, { signal }: CliContext): Promise<InspectedAccount> {
  const address = { channel, accountId };
  const { capabilities } = await client.request("channels.capabilities", address, { signal }).catch((error: unknown) => {
    throw requestError(error);
  });
  const { optional } = capabilities;
  const hasProbe = Array.isArray(optional) && optional.includes("probe");
  return { capabilities, probe: hasProbe ? async () => client.request("channels.probe", address, { signal }) : undefined };
}

async function inHere<Result>(
  context: CliContext,
  { config, account }: { readonly config: FactotumConfig; readonly account: Address },
  work: (inspected: InspectedAccount) => Promise<Result>,
): Promise<Result> {
  const { createIdleChannel } = await import("../compose/idle-channel.ts");
  const channel = await createIdleChannel(config, account, context).catch((error: unknown) => {
    throw new CliError("failure", error instanceof Error ? error.message : String(error), { cause: error });
  });
  const probe = channel.probe?.bind(channel);
  try {
    return await work({
      capabilities: { ...channel.capabilities },
      probe: probe === undefined ? undefined : async () => probe({ signal: context.signal }),
    });
  } finally {
    // It was never started; this releases what the probe opened.
    await channel.stop({ signal: AbortSignal.abort() }).catch(() => undefined);
  }
}
