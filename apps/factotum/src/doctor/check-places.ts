import { access, constants } from "node:fs/promises";
import { folderObstacle, resolveAccountSettings, type Environment, type FactotumConfig } from "@factotum/config";
import { CHOOSE_WORKSPACE, makeWorkspaceFolder } from "../compose/create-workspace.ts";
import { ok, type Finding } from "./finding.ts";

/** The agents' folders are writable, or can be created. */
export async function checkWorkspaces(config: FactotumConfig): Promise<Finding[]> {
  return Promise.all(config.agents.map(checkWorkspace));
}

async function checkWorkspace({ id, workspace }: FactotumConfig["agents"][number]): Promise<Finding> {
  const name = `The workspace of agent ${id}, ${workspace},`;
  try {
    await access(workspace, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok("workspace", `${workspace} (agent ${id})`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOENT" && code !== "ENOTDIR") {
      const fix = "Give this user the right to write there, or choose another workspace.";
      return { check: "workspace", level: "error", message: `${name} cannot be written.`, fix };
    }
    const obstacle = await folderObstacle(workspace);
    if (obstacle !== undefined)
      return { check: "workspace", level: "error", message: `${name} cannot be made (${obstacle}).`, fix: CHOOSE_WORKSPACE };
    const repair = (): Promise<void> => makeWorkspaceFolder(workspace);
    return { check: "workspace", level: "warning", message: `${name} is not there yet.`, fix: 'Make it with "factotum setup".', repair };
  }
}

/** The secrets of the channels have values. */
export async function checkChannels(config: FactotumConfig, env: Environment): Promise<Finding[]> {
  const accounts = Object.values(config.channels).flatMap(({ accounts: byId }) => Object.values(byId));
  const findings = await Promise.all(
    accounts
      .filter(({ enabled, settings }) => enabled && Object.keys(settings).length > 0)
      .map(async ({ channel, accountId, settings }): Promise<Finding> => {
        const resolved = await resolveAccountSettings(settings, { env });
        if (resolved.type === "resolved") return ok("channel", `${channel}/${accountId} has its settings`);
        return {
          check: "channel",
          level: "error",
          account: `${channel}/${accountId}`,
          message: `${channel}/${accountId} stays off: ${resolved.problems.join("; ")}`,
          fix: 'Write the files that are missing, set the variables where the gateway starts, then run "factotum gateway restart".',
        };
      }),
  );
  return findings;
}
