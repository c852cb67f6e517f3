import { existsSync } from "node:fs";
import { join } from "node:path";
import { isAvailable } from "@factotum/config";
import { channelCatalog, type ChannelEntry } from "../compose/extensions.ts";
import { checkoutChannels } from "../extensions/checkout-channels.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { knownChannels } from "../runtime/known-extension.ts";

/** A channel whose accounts can be set up; `undefined` if its package is not installed or cannot be used. */
export async function availableChannel({ env }: Pick<CliContext, "env">, id: string): Promise<ChannelEntry | undefined> {
  const found = (await channelCatalog(env)).channels.find((one) => one.id === id);
  return found !== undefined && isAvailable(found) ? found : undefined;
}

/** A channel that can be installed by its id. */
interface InstallableChannel {
  readonly id: string;
  /** What it is and what one needs for it. */
  readonly about?: string | undefined;
}

/** The channels that can be installed by their id: those of the release's list, and in a checkout of the repository those of its folder. */
export async function installableChannels({ knownExtensions, checkout }: CliContext): Promise<readonly InstallableChannel[]> {
  const known = knownChannels(knownExtensions).map((id) => [id, knownExtensions[id]?.about] as const);
  const own = [...(await checkoutChannels(checkout))].map(([id, { about }]) => [id, about] as const);
  return [...new Map([...own, ...known])].map(([id, about]) => ({ id, about }));
}

/** Why a channel cannot be set up, and what to do. */
export async function noSuchChannel(context: CliContext, id: string): Promise<CliError> {
  const { channels } = await channelCatalog(context.env);
  const unusable = channels.find((one) => one.id === id);
  const reason = unusable !== undefined && !isAvailable(unusable) ? `: ${unusable.unavailable}` : "";
  const folder = `./extensions/${id}`;
  if (/^[a-z][a-z0-9-]*$/.test(id) && existsSync(join(process.cwd(), folder, "package.json")))
    return new CliError("usage", `The channel "${id}" is not installed.`, { fix: `Install it: factotum plugins add ${folder}` });
  return new CliError("usage", `There is no channel "${id}"${reason}.`, {
    fix: `There are ${channels
      .filter(isAvailable)
      .map((one) => one.id)
      .join(", ")}. Install a package with: factotum plugins add <folder, tarball or package>`,
  });
}
