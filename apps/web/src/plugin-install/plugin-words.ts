import type { PluginPart, PluginPlan, PluginWork } from "@factotum/protocol";
import { t } from "../i18n/t.ts";

/** A part of a package, in a few words. */
export function describePart({ type, id = "", names }: PluginPart): string {
  const list = names.join(", ");
  switch (type) {
    case "channel":
      return t("channel {id}", { id });
    case "tools":
      return t("tools {list}", { list });
    case "hooks":
      return t("hooks {list}", { list });
    case "models":
      return t("models {list}", { list });
    case "memory":
      return t("memory {id}", { id });
    case "commands":
      return t("commands {list}", { list });
    case "routes":
      return t("routes {list}", { list });
    case "skills":
      return t("skills in {list}", { list });
    case "prompts":
      return t("commands in {list}", { list });
    case "mcp":
      return t("MCP servers {list}", { list });
    case "lsp":
      return t("language servers {list}", { list });
  }
}

/** What the code of a package can reach. */
export function describeReach({ reach, permissions }: PluginPlan): string {
  switch (reach) {
    case "gateway":
      return t("It runs in the gateway's own process, without limits. Install only what you trust.");
    case "server":
      return t("Its servers are programs that run as you. Install only what you trust.");
    case "nothing":
      return t("It runs nothing by itself, but the agent follows its instructions as if they were yours. Install only what you trust.");
    case "plugin":
      return permissions.includes("exec")
        ? t(
            "It runs in a process of its own, without network and files except through the gateway, and starts programs that are held back in the same way.",
          )
        : t("It runs in a process of its own, without network and files except through the gateway.");
  }
}

/** A permission, in words. */
export function describePermission(permission: string): string {
  const [kind = "", ...rest] = permission.split(":");
  const what = rest.join(":");
  switch (kind) {
    case "network":
      return t("reach {what} on the network", { what });
    case "secrets":
      return t("read the secret {what}", { what });
    case "exec":
      return t("start programs");
    case "fs":
      return t("read the workspaces of all agents");
    default:
      return permission;
  }
}

/** What is being done with a package. */
export function describeWork({ step }: Pick<PluginWork, "step">): string {
  switch (step) {
    case "fetching":
      return t("Fetching it and what it needs…");
    case "checking":
      return t("Checking it…");
    case "activating":
      return t("Installing it…");
  }
}
