import path from "node:path";
import type { SpawnRequest, ToolCaller } from "@factotum/agent-contract";
import { externalAgentOf, externalPlaceProblem, externalProblem, externalReference } from "../agents/external-agent.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { attachmentPaths } from "./attachment-folders.ts";

/** Why a task is not taken; for the model. */
export interface SpawnRefusal {
  readonly refusal: string;
}

/** The agent that a request is for, and the model that it asks for: an external agent is the model of a session of the run's own agent. */
export function targetOf(
  { runtime, agentId = "", model, context, toolsAllow, disableTools = false }: SpawnRequest,
  { run, tainted }: ToolCaller,
  { config }: Pick<RunningConfig, "config">,
): { readonly agentId: string; readonly model: string | undefined } | SpawnRefusal {
  if (runtime !== "acp") {
    if (externalAgentOf(model) !== undefined)
      return { refusal: 'An external agent is named by agentId, with runtime: "acp", and not by model.' };
    return { agentId: (agentId === "" ? run.agentId : agentId).toLowerCase(), model };
  }
  if (context === "fork")
    return { refusal: "Rule fork: an external agent cannot start with this conversation. Put what it has to know into the task." };
  if (toolsAllow !== undefined || disableTools)
    return { refusal: "toolsAllow and disableTools do not bind an external agent, which has tools of its own. Leave them out." };
  const problem = externalPlaceProblem(run, tainted) ?? externalProblem(agentId, config);
  return problem === undefined ? { agentId: run.agentId, model: externalReference(agentId) } : { refusal: problem };
}

/**
 * The task as it is given. An external agent gets no system prompt of ours, which would name its files and the form of the result. It may work in another folder
 * than `workspace`, so its files have whole paths.
 */
export function taskText(
  { task, runtime, outputSchema, attachments = [] }: Pick<SpawnRequest, "task" | "runtime" | "outputSchema" | "attachments">,
  { id, workspace }: { readonly id: string; readonly workspace: string },
): string {
  if (runtime !== "acp") return task;
  const files = attachmentPaths(id, attachments).map((file) => `- ${path.join(workspace, file.path)}`);
  return [
    task,
    ...(files.length === 0 ? [] : [["Files for it:", ...files].join("\n")]),
    ...(outputSchema === undefined
      ? []
      : [`Answer with one JSON value that fits this JSON Schema, and nothing else:\n${JSON.stringify(outputSchema)}`]),
  ].join("\n\n");
}
