import type { FactotumConfig } from "./factotum-config.ts";

/** What a configuration means for commands and for other people's files in this build, one sentence per line. */
export function describeCommandPolicy({ tools, agents }: Pick<FactotumConfig, "tools" | "agents">): readonly string[] {
  const shared = agents.filter(({ sandbox }) => sandbox.mode === "off").map(({ id }) => id);
  const commands =
    tools.exec.mode === "full"
      ? [
          "the owner's commands run without asking (tools.exec.mode: full), but not in turns that hold other people's text",
          "there is no sandbox (sandbox.mode: off): commands can do what the gateway's account can do",
        ]
      : ["no commands run (tools.exec.mode: deny)"];
  const files = `sandbox.mode is set to off: other people and groups work in the workspace of ${shared.join(", ")}`;
  return shared.length === 0 ? commands : [...commands, files];
}
