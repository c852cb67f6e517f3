import { ModelError } from "@factotum/agent-contract";
import type { AgentMessage, JsonObject, ToolCall, ToolSchema } from "@factotum/agent-contract";
import { adaptTools } from "@factotum/models";
import type { ClientResult } from "@factotum/store";
import * as z from "zod";
import type { AgentRuntime } from "../../agents/agent-directory.ts";
import type { ResolvedModel } from "../../agents/model-source.ts";
import { checkClientResults } from "../../messages/client-results.ts";
import { CompletionRequestError } from "./completion-request-error.ts";

interface GivenTool {
  readonly type: string;
  readonly function?:
    | { readonly name: string; readonly description?: string | null | undefined; readonly parameters?: JsonObject | null | undefined }
    | undefined;
}

/** `tools` of a request. Entries of other types than `function` are ignored. */
export const ToolsSchema: z.ZodType<readonly GivenTool[]> = z.lazy(() =>
  z.array(
    z.looseObject({
      type: z.string(),
      function: z
        .looseObject({
          name: z.string().min(1),
          description: z.string().nullish(),
          parameters: z.record(z.string(), z.json()).nullish(),
        })
        .optional(),
    }),
  ),
);

/** The tools that a request offers to the model. */
export interface RequestedTools {
  readonly tools: readonly ToolSchema[];
  /** Names of parameters without effect. */
  readonly ignored: readonly string[];
}

const NO_PARAMETERS: JsonObject = { type: "object", properties: {} };

/** The functions of `tools` that `tool_choice` leaves. A choice that forces a call was refused before. */
export function readRequestedTools(given: readonly GivenTool[], choice: unknown): RequestedTools {
  const tools = given.flatMap(({ type, function: fn }) =>
    type !== "function" || fn === undefined
      ? []
      : [{ name: fn.name, description: fn.description ?? "", parameters: fn.parameters ?? NO_PARAMETERS }],
  );
  const allowed = allowedNames(choice);
  return {
    tools: choice === "none" ? [] : tools.filter(({ name }) => allowed?.has(name) ?? true),
    ignored: tools.length < given.length ? ["tools"] : [],
  };
}

/** The names in a choice of the type `allowed_tools`. */
function allowedNames(choice: unknown): ReadonlySet<string> | undefined {
  const parsed = AllowedSchema.safeParse(choice);
  if (!parsed.success) return undefined;
  return new Set(parsed.data.allowed_tools.tools.flatMap((tool) => tool.function?.name ?? []));
}

const AllowedSchema = z.lazy(() =>
  z.looseObject({
    type: z.literal("allowed_tools"),
    allowed_tools: z.looseObject({ tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() })) }),
  }),
);

/**
 * The client's tools as the agent's model can be offered them. Throws a `CompletionRequestError` for a name that the agent's own tools have, and for a tool that
 * the model's provider would refuse. A model without tools gets none of them.
 */
export async function admitClientTools(
  tools: readonly ToolSchema[],
  agent: AgentRuntime,
  { isPlain }: { readonly isPlain: boolean },
): Promise<RequestedTools> {
  if (tools.length === 0) return { tools, ignored: [] };
  const model = await modelOf(agent);
  // The answer says why there is no model.
  if (model === undefined) return { tools, ignored: [] };
  const { info } = model.client;
  if (info.tools === "none") return { tools: [], ignored: ["tools"] };
  const { offered, deferred } = isPlain
    ? { offered: [], deferred: [] }
    : agent.toolSet({ model: info, fallbacks: [], group: undefined, sandboxed: false, subagent: false });
  const own = new Set([...offered, ...deferred].map(({ name }) => name));
  const taken = tools.find(({ name }) => own.has(name));
  if (taken !== undefined)
    throw refused(
      `${taken.name}: the agent has a tool of this name. Rename yours, or deny the agent's own with tools.deny.`,
      "tool_name_taken",
    );
  const [unfit] = adaptTools([...offered, ...tools], info.api).quarantined.filter(({ name }) => !own.has(name));
  if (unfit !== undefined) throw refused(`${unfit.name}: ${unfit.reason}.`, "invalid_value");
  return { tools, ignored: [] };
}

async function modelOf(agent: AgentRuntime): Promise<ResolvedModel | undefined> {
  try {
    return await agent.model(undefined);
  } catch (error) {
    if (ModelError.isInstance(error)) return undefined;
    throw error;
  }
}

function refused(message: string, code: string): CompletionRequestError {
  return new CompletionRequestError(`tools: ${message}`, { status: 400, param: "tools", code });
}

/** Throws a `CompletionRequestError` if the results are not those of the calls that wait in the conversation. */
export function refuseWrongResults(messages: readonly AgentMessage[], results: readonly ClientResult[]): void {
  const problem = checkClientResults(messages, results);
  if (problem === undefined) return;
  throw new CompletionRequestError(`messages: ${problem}`, { status: 400, param: "messages", code: "invalid_tool_results" });
}

/** Calls in the shape of a message. */
export function renderToolCalls(calls: readonly ToolCall[]): readonly object[] {
  return calls.map(({ id, name, arguments: given }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(given) } }));
}
