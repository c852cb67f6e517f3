import type { AgentDirectory } from "../../agents/agent-directory.ts";

/** The default agent, whichever that is. */
const DEFAULT_MODEL = "factotum";

/** What a model id stands for. */
export type FoundModel =
  | { readonly type: "found"; readonly id: string; readonly agentId: string }
  /** `message` is for the client. */
  | { readonly type: "unknown"; readonly message: string };

/** The agent behind a model id: `factotum`, or `factotum/<agent>` in any case of letters. */
export function findModel(model: string, agents: Pick<AgentDirectory, "default" | "get">): FoundModel {
  const name = /^factotum(?:\/(.+))?$/s.exec(model);
  const agent = name?.[1] === undefined ? agents.default : agents.get(name[1].toLowerCase());
  if (name === null || agent === undefined) {
    return {
      type: "unknown",
      message: `The model "${model}" does not exist. Use "${DEFAULT_MODEL}", or "${DEFAULT_MODEL}/<agent>"; GET /v1/models lists them.`,
    };
  }
  const { id } = agent.config;
  return { type: "found", id: name[1] === undefined ? DEFAULT_MODEL : `${DEFAULT_MODEL}/${id}`, agentId: id };
}

/** Every model id, as `GET /v1/models` shows them. */
export function listModels(agents: Pick<AgentDirectory, "list">): object {
  const ids = [DEFAULT_MODEL, ...agents.list().map(({ config }) => `${DEFAULT_MODEL}/${config.id}`)];
  return { object: "list", data: ids.map(renderModel) };
}

/** One model, as OpenAI's API shows it. */
export function renderModel(id: string): object {
  return { id, object: "model", created: 0, owned_by: "factotum" };
}
