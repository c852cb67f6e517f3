import { access, constants, mkdir } from "node:fs/promises";
import { resolveAccountSettings, type Environment, type FactotumConfig } from "@factotum/config";
import { ok, type Finding } from "./finding.ts";

/** The agents' folders are writable. */
export async function checkWorkspaces(config: FactotumConfig): Promise<Finding[]> {
  return Promise.all(
    config.agents.map(async ({ id, workspace }): Promise<Finding> => {
      try {
        await access(workspace, constants.R_OK | constants.W_OK | constants.X_OK);
        return ok("workspace", `${workspace} (agent ${id})`);
      } catch (error) {
        const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
        return {
          check: "workspace",
          level: isMissing ? "warning" : "error",
          message: `The workspace of agent ${id}, ${workspace}, ${isMissing ? "is not there yet" : "cannot be written"}.`,
          fix: isMissing ? 'Make it with "factotum setup".' : "Give this user the right to write there, or choose another workspace.",
          ...(isMissing ? { repair: async () => void (await mkdir(workspace, { recursive: true, mode: 0o700 })) } : {}),
        };
      }
    }),
  );
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
          message: `${channel}/${accountId} stays off: ${resolved.problems.join("; ")}`,
          fix: 'Set what is missing where the gateway starts, then run "factotum gateway restart".',
        };
      }),
  );
  return findings;
}
