import { oneLine } from "../one-line.ts";
import type { PromptSandbox, PromptSection } from "../prompt-facts.ts";

/** Where tools run if not on the host. */
export const sandbox: PromptSection = {
  id: "sandbox",
  half: "session",
  modes: ["full", "minimal"],
  render: (facts) => {
    if (facts.sandbox === undefined) return undefined;
    const { turns, backend, folder, workspaceAccess, network, elevated } = facts.sandbox;
    return [
      "## Sandbox",
      turns === "all"
        ? "In this session, all tools run isolated from the host."
        : "When someone other than your owner is writing, tools run isolated from the host.",
      `- Runs in: ${oneLine(backend)}, working directory ${oneLine(folder)}`,
      `- ${WORKSPACE[workspaceAccess]}`,
      `- Network: ${oneLine(network)}`,
      `- ${ELEVATED[elevated]}`,
    ].join("\n");
  },
};

const WORKSPACE: Readonly<Record<PromptSandbox["workspaceAccess"], string>> = {
  none: "Workspace: a separate one; your own workspace cannot be reached",
  ro: "Workspace: your own, read-only",
  rw: "Workspace: your own, readable and writable",
};

const ELEVATED: Readonly<Record<PromptSandbox["elevated"], string>> = {
  off: "Elevated commands (on the host): off",
  ask: "Elevated commands (on the host): each needs approval",
  full: "Elevated commands (on the host): on, without approvals",
};
