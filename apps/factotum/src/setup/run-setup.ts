import { chmod } from "node:fs/promises";
import { ensureGatewayToken, listProblems, loadConfig, makeFolder, readGatewayToken } from "@factotum/config";
import { configOptions } from "../compose/extensions.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { createConfig, writeConfigSchema, type CreatedConfig } from "./create-config.ts";
import { createWorkspace, type CreatedWorkspace } from "../compose/create-workspace.ts";

/** What setup found and created. */
export interface SetupReport {
  readonly home: string;
  readonly config: CreatedConfig;
  readonly workspaces: readonly CreatedWorkspace[];
  /** True if the gateway's token was created now. */
  readonly tokenCreated: boolean;
}

/** Options of `runSetup`. */
interface SetupOptions {
  /** False for a start, which need not load every channel: the JSON Schema for editors is then written with the first configuration alone. */
  readonly writesSchema?: boolean;
}

/**
 * Creates what is missing: the state directory, the configuration, the gateway's token, a workspace for each agent. Asks nothing, changes nothing that exists.
 */
export async function runSetup(context: CliContext, { writesSchema = true }: SetupOptions = {}): Promise<SetupReport> {
  const { paths, env } = context;
  await makeFolder(paths.home);
  // Conversations are stored here: a manually created folder with other permissions is made private.
  await chmod(paths.home, 0o700);
  const config = await createConfig(context);
  if (config.created || (writesSchema && config.missing !== true)) await writeConfigSchema(context, config.path);
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") {
    throw new CliError("configInvalid", `${config.path} cannot be used:\n${listProblems(loaded.problems)}`, {
      fix: `${config.missing === true ? "Do that" : "Repair it (it was not touched)"}, then run "factotum setup" again.`,
    });
  }
  const tokenCreated = (await readGatewayToken(paths)) === undefined;
  await ensureGatewayToken(paths);
  const workspaces: CreatedWorkspace[] = [];
  for (const { workspace, skipBootstrap } of loaded.config.agents) workspaces.push(await createWorkspace(workspace, { skipBootstrap }));
  return { home: paths.home, config, workspaces, tokenCreated };
}

/** What a setup did, one line each. */
export function describeSetup(report: SetupReport): string[] {
  return [
    `state directory   ${report.home}`,
    `configuration     ${report.config.path} (${describeConfig(report.config)})`,
    ...report.workspaces.map(
      ({ path, created }) => `workspace         ${path} (${created.length === 0 ? "complete" : `made ${created.join(", ")}`})`,
    ),
    `gateway token     ${report.tokenCreated ? "made" : "is there"}`,
  ];
}

function describeConfig({ created, missing }: SetupReport["config"]): string {
  if (missing === true) return 'is not there any more, and its last good copy holds: see "factotum config validate"';
  return created ? "made" : "is there, not changed";
}
