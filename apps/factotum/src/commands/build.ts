import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CHANNELS, findInstalled } from "../compose/extensions.ts";
import { buildDeployment } from "../deployment/build-deployment.ts";
import { chooseChannels } from "../deployment/channel-sources.ts";
import { assetPath } from "../runtime/assets.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";

/** Options of `build`. */
export interface BuildCommandOptions {
  /** Ids of channels, or packages of channels, separated by commas. */
  readonly channels: string;
  /** The folder of the deployment. */
  readonly out: string;
  /** With what the browser tool needs. */
  readonly browser: boolean;
  readonly json: boolean;
}

/** Writes a folder with the gateway and the chosen channels alone. */
export async function build(context: CliContext, { channels, out, browser, json }: BuildCommandOptions): Promise<number> {
  const { env, signal } = context;
  const named = channels.split(",").flatMap((name) => name.trim() || []);
  if (named.length === 0)
    throw new CliError("usage", "No channel is named.", { fix: "The page alone is: factotum build --channels webchat" });
  const product = dirname(assetPath("package.json"));
  const implicit = CHANNELS.flatMap(({ id, implicit: isAlways }) => (isAlways === true ? [id] : []));
  await using chosen = await chooseChannels(named, {
    implicit,
    builtIn: CHANNELS.map(({ id }) => id),
    found: await findInstalled(env),
    known: context.knownExtensions,
    workspace: workspaceOf(product),
    env,
    signal,
  });
  const built = await buildDeployment({ folder: resolve(out), product, chosen, hasBrowser: browser });
  for (const { manifest } of chosen.packages) {
    const { name, version, permissions } = manifest;
    context.note(`${name} ${version} states that it needs: ${permissions.join(", ") || "no permissions"}.\n`);
  }
  if (json) {
    printJson(context, built);
    return EXIT.ok;
  }
  context.print(
    `${built.folder} has the gateway with ${built.channels.join(", ")}: ${(built.bytes / 1e6).toFixed(1)} MB in ${built.files} files.\n`,
  );
  context.print(
    `Start it with: npm start --prefix ${out}\nOr as a container: docker compose --project-directory ${out} up --build --detach\n`,
  );
  return EXIT.ok;
}

/** The folder with the extensions of a clone, which this command is a part of. */
function workspaceOf(product: string): string | undefined {
  const root = join(product, "../..");
  return existsSync(join(root, "pnpm-workspace.yaml")) && existsSync(join(root, "extensions")) ? join(root, "extensions") : undefined;
}
