import type { JsonSchema, ModelApi, ToolSchema } from "@factotum/agent-contract";
import { adaptSchema, SchemaRefusal } from "./adapt-schema.ts";
import { flattenTop } from "./flatten-top.ts";
import { SCHEMA_DIALECTS } from "./schema-dialects.ts";

/** A tool that cannot be offered to a model on this wire, and why: for one warning. */
export interface QuarantinedTool {
  readonly name: string;
  readonly reason: string;
}

/** Tools in a form that a provider accepts. */
export interface AdaptedTools {
  readonly tools: readonly ToolSchema[];
  readonly quarantined: readonly QuarantinedTool[];
}

/** OpenAI and Mistral refuse a request with more. */
const MOST_TOOLS = 128;
const MOST_BYTES = 64 * 1024;

/**
 * Adapts every schema to the provider, or drops the tool: a schema never fails a turn. Only the description for the model loses detail; tools validate their
 * arguments themselves. Pure, total and deterministic; the order is kept.
 */
export function adaptTools(tools: readonly ToolSchema[], api: ModelApi): AdaptedTools {
  const adapted: ToolSchema[] = [];
  const quarantined: QuarantinedTool[] = [];
  const names = new Set<string>();
  for (const tool of tools) {
    const outcome = adaptTool(tool, api);
    const reason =
      typeof outcome === "string"
        ? outcome
        : names.has(tool.name)
          ? "another tool has this name"
          : adapted.length >= MOST_TOOLS
            ? `only ${MOST_TOOLS} tools fit into one request`
            : undefined;
    if (reason !== undefined) quarantined.push({ name: tool.name, reason });
    else if (typeof outcome !== "string") {
      names.add(tool.name);
      adapted.push(outcome);
    }
  }
  return { tools: adapted, quarantined };
}

/** The tool, or why it is dropped. */
function adaptTool(tool: ToolSchema, api: ModelApi): ToolSchema | string {
  const dialect = SCHEMA_DIALECTS[api];
  if (!dialect.toolName.test(tool.name)) return `its name does not fit ${dialect.toolName.source}`;
  try {
    const parameters = adaptTop(adaptSchema(flattenTop(tool.parameters), dialect));
    if (Buffer.byteLength(JSON.stringify(parameters)) > MOST_BYTES) return `its schema has more than ${MOST_BYTES} bytes`;
    return { name: tool.name, description: tool.description, parameters };
  } catch (error) {
    if (error instanceof SchemaRefusal) return error.message;
    throw error;
  }
}

/** At the top level only an object with properties is accepted everywhere: no union, no enum, no null in addition. */
function adaptTop(schema: JsonSchema): JsonSchema {
  const kept = ["required", "additionalProperties", "description"].flatMap((key) =>
    schema[key] === undefined ? [] : [[key, schema[key]] as const],
  );
  return { type: "object", properties: schema.properties ?? {}, ...Object.fromEntries(kept) };
}
