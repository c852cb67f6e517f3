import type { FactotumConfig } from "./factotum-config.ts";

const MODES: Readonly<Record<FactotumConfig["tools"]["exec"]["mode"], string>> = {
  full: "the owner's commands run without asking (tools.exec.mode: full), but not in turns that hold other people's text",
  ask: "each of the owner's commands needs a decision, by /approve or factotum approvals (tools.exec.mode: ask)",
  allowlist:
    "the owner's commands run if a pattern of tools.exec.allow covers them; the others need a decision (tools.exec.mode: allowlist)",
  deny: "no commands run (tools.exec.mode: deny)",
};

/** What a configuration means for commands and for other people's files in this build, one sentence per line. */
export function describeCommandPolicy({ tools, agents }: Pick<FactotumConfig, "tools" | "agents">): readonly string[] {
  const shared = agents.filter(({ sandbox }) => sandbox.mode === "off").map(({ id }) => id);
  const { mode } = tools.exec;
  const commands = [
    MODES[mode],
    ...(mode === "deny" ? [] : ["there is no sandbox (sandbox.mode: off): commands can do what the gateway's account can do"]),
  ];
  const files = `sandbox.mode is set to off: other people and groups work in the workspace of ${shared.join(", ")}`;
  return shared.length === 0 ? commands : [...commands, files];
}
