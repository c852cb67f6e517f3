import type { AgentDirectory } from "../../agents/agent-directory.ts";

/** The default agent. */
const DEFAULT_MODEL = "factotum";
/** Suffix of an id: the model without the agent. Ids of agents have no colon. */
const PLAIN = ":plain";

/** The meaning of a model id. */
export type FoundModel =
  /** `isPlain`: the agent's model answers without the agent: no tools, no session, no system prompt. */
  | { readonly type: "found"; readonly id: string; readonly agentId: string; readonly isPlain: boolean }
  /** `message` is for the client. */
  | { readonly type: "unknown"; readonly message: string };

/** Parses a model id: `factotum` or `factotum/<agent>`, the agent case-insensitive, each also with the suffix `:plain`. */
export function findModel(model: string, agents: Pick<AgentDirectory, "default" | "get">): FoundModel {
  const isPlain = model.endsWith(PLAIN);
  const name = /^factotum(?:\/(.+))?$/s.exec(isPlain ? model.slice(0, -PLAIN.length) : model);
  const agent = name?.[1] === undefined ? agents.default : agents.get(name[1].toLowerCase());
  if (name === null || agent === undefined) {
    return {
      type: "unknown",
      message: `The model "${model}" does not exist. Use "${DEFAULT_MODEL}", or "${DEFAULT_MODEL}/<agent>", each also with "${PLAIN}" behind it; GET /v1/models lists them.`,
    };
  }
  const { id } = agent.config;
  const base = name[1] === undefined ? DEFAULT_MODEL : `${DEFAULT_MODEL}/${id}`;
  return { type: "found", id: isPlain ? `${base}${PLAIN}` : base, agentId: id, isPlain };
}

/** Every model id, as listed by `GET /v1/models`. */
export function listModels(agents: Pick<AgentDirectory, "list">): object {
  const ids = [DEFAULT_MODEL, ...agents.list().map(({ config }) => `${DEFAULT_MODEL}/${config.id}`)];
  return { object: "list", data: ids.flatMap((id) => [id, `${id}${PLAIN}`]).map(renderModel) };
}

/** One model, in OpenAI's shape. */
export function renderModel(id: string): object {
  return { id, object: "model", created: 0, owned_by: "factotum" };
}
