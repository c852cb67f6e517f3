import type { FactotumConfig } from "./factotum-config.ts";

const MODES: Readonly<Record<FactotumConfig["tools"]["exec"]["mode"], string>> = {
  full: "the owner's commands on the host run without asking (tools.exec.mode: full), but not in turns that hold other people's text",
  ask: "each of the owner's commands on the host needs a decision, by /approve or factotum approvals (tools.exec.mode: ask)",
  allowlist:
    "the owner's commands on the host run if a pattern of tools.exec.allow covers them; the others need a decision (tools.exec.mode: allowlist)",
  deny: "no commands run (tools.exec.mode: deny)",
};

/** What a configuration means for commands and for other people's files in this build, one sentence per line. */
export function describeCommandPolicy({ tools, agents }: Pick<FactotumConfig, "tools" | "agents">): readonly string[] {
  const idsOf = (mode: string): string =>
    agents
      .filter(({ sandbox }) => sandbox.mode === mode)
      .map(({ id }) => id)
      .join(", ");
  const [off, nonMain, all] = [idsOf("off"), idsOf("non-main"), idsOf("all")];
  const files = off === "" ? [] : [`sandbox.mode is set to off: other people and groups work in the workspace of ${off}, without commands`];
  if (tools.exec.mode === "deny") return [MODES.deny, ...files];
  const networks = [...new Set(agents.filter(({ sandbox }) => sandbox.mode !== "off").map(({ sandbox }) => networkOf(sandbox)))];
  const network = networks.length === 1 ? (networks[0] ?? NO_NETWORK) : "with the network of sandbox.network";
  return [
    ...(off === "" && nonMain === "" ? [] : [MODES[tools.exec.mode]]),
    ...(nonMain === ""
      ? []
      : [`commands of other people, groups and channels run in a sandbox ${network} (sandbox.mode: non-main; ${nonMain})`]),
    ...(all === "" ? [] : [`all commands run in a sandbox ${network} (sandbox.mode: all; ${all})`]),
    ...files,
  ];
}

const NO_NETWORK = "without network";

function networkOf({ network }: FactotumConfig["agents"][number]["sandbox"]): string {
  if (network === "none" || network.allow.length === 0) return NO_NETWORK;
  return `that reaches ${network.allow.join(", ")} alone, and each needs a decision`;
}
