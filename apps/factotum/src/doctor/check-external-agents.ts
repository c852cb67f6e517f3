import { programProblem } from "@factotum/acp-client";
import type { FactotumConfig } from "@factotum/config";
import { acpSettings } from "../compose/compose-acp.ts";
import { ok, type Finding } from "./finding.ts";

/** Whether the programs of the external agents are there. Starts none. */
export function checkExternalAgents(config: Pick<FactotumConfig, "acp">, searchPath: string): readonly Finding[] {
  const agents = Object.entries(acpSettings(config));
  const findings = agents.flatMap(([id, { command }]): readonly Finding[] => {
    const problem = programProblem(command, searchPath);
    if (problem === undefined) return [];
    const fix = `Install it, or name it by its full path: factotum config set acp.agents.${id}.command PATH`;
    return [{ check: "external-agents", level: "warning", message: `The external agent ${id} cannot be started: ${problem}.`, fix }];
  });
  if (agents.length === 0 || findings.length > 0) return findings;
  return [ok("external-agents", `the programs of ${agents.map(([id]) => id).join(", ")} are there`)];
}
