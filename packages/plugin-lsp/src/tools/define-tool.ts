import type { AgentTool, AgentToolResult, InspectedCall, JsonObject, ToolOptions, ToolTraits } from "@factotum/agent-contract";
import { z } from "zod";
import type { Operation } from "../operations.ts";
import { openTarget, type OpenedFile } from "./open-target.ts";
import type { ToolParts } from "./tool-parts.ts";

/** What a call has come to. */
export interface Answer {
  readonly text: string;
  readonly isError?: boolean;
  /** It holds text of others. */
  readonly untrusted?: boolean;
}

/** A tool of a language server, as its author writes it. */
export interface OperationDefinition<Schema extends z.ZodObject> {
  readonly operation: Exclude<Operation, "workspace-symbols">;
  readonly summary: (language: string) => string;
  readonly description: string;
  readonly schema: Schema;
  readonly traits: ToolTraits;
  readonly inspect?: (args: z.output<Schema>) => InspectedCall;
  /** Files whose change matters to later turns. */
  readonly changedPaths?: (args: z.output<Schema>) => readonly string[];
  /** `opened` is the file of the call. Rejects with an error whose message is for the model. */
  readonly execute: (args: z.output<Schema>, opened: OpenedFile, options: ToolOptions) => Promise<Answer>;
}

const MAX_RESULT_CHARS = 16_000;
const MAX_ERROR_CHARS = 2_000;

/** For tools that change nothing. */
export const READ_TRAITS: ToolTraits = { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true };

/** Where in a file: by name, or by line and column. */
export const TargetShape: {
  readonly path: z.ZodString;
  readonly symbol: z.ZodOptional<z.ZodString>;
  readonly line: z.ZodOptional<z.ZodInt>;
  readonly column: z.ZodOptional<z.ZodInt>;
} = {
  path: z.string(),
  symbol: z.string().min(1).optional().describe("Name path, such as Class/method; or a name in the line"),
  line: z.int().min(1).optional(),
  column: z.int().min(1).optional(),
};

/** A tool of one operation, apart from its server. */
export type ToolMaker = (parts: ToolParts) => AgentTool;

/** Makes the tools of an operation. Bad arguments, servers that are down, and failures are results with `isError`; runs of others than the owner are refused. */
export function defineOperation<Schema extends z.ZodObject<{ path: z.ZodType<string | undefined> }>>(
  definition: OperationDefinition<Schema>,
): ToolMaker {
  const { operation, summary, description, schema, traits, inspect, changedPaths, execute } = definition;
  const parameters = toParameters(schema);
  return (parts) => {
    const { language } = parts.server;
    return {
      name: `lsp_${operation}_${language}`,
      summary: summary(language),
      description,
      parameters,
      traits,
      ...(inspect === undefined
        ? {}
        : {
            // eslint-disable-next-line typescript/require-await -- the interface of tools
            inspect: async (call) => {
              const parsed = schema.safeParse(call.arguments);
              return parsed.success ? inspect(parsed.data) : { type: "invalid", message: describeIssues(parsed.error) };
            },
          }),
      ...(changedPaths === undefined
        ? {}
        : {
            changedInstructions: async (call, run) => {
              const parsed = schema.safeParse(call.arguments);
              return parsed.success ? (await parts.files.forRun(run)).findInstructions(changedPaths(parsed.data)) : undefined;
            },
          }),
      execute: async (call, options) => {
        if (!options.run.owner)
          return failure("Tools of language servers work for the owner alone, and this message is not the owner's. Do without it.");
        const parsed = schema.safeParse(withoutNull(call.arguments));
        if (!parsed.success) return failure(describeIssues(parsed.error));
        try {
          const opened = await openTarget(parsed.data["path"] as string | undefined, parts, options);
          return toResult(await execute(parsed.data, opened, options));
        } catch (error) {
          options.signal.throwIfAborted();
          return failure(error instanceof Error ? error.message.slice(0, MAX_ERROR_CHARS) : "unknown reason");
        }
      },
    };
  };
}

function toResult({ text, isError = false, untrusted = false }: Answer): AgentToolResult {
  const shown = text.length > MAX_RESULT_CHARS ? `${text.slice(0, MAX_RESULT_CHARS).toWellFormed()}\n[The rest is left out.]` : text;
  return { content: [{ type: "text", text: shown }], ...(isError ? { isError } : {}), ...(untrusted ? { untrusted } : {}) };
}

function failure(text: string): AgentToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function withoutNull(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

function describeIssues(error: z.ZodError): string {
  const lines = error.issues.map(({ path, message }) => `- ${path.join(".") || "arguments"}: ${message}`);
  return `The arguments are not valid:\n${lines.join("\n")}`;
}

/** Without what a request would pay for and a model does not need. */
function toParameters(schema: z.ZodObject): JsonObject {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: "input" }), (key, value: unknown) =>
    ["$schema", "additionalProperties", "minimum", "maximum", "minLength"].includes(key) ? undefined : value,
  );
  return JSON.parse(text) as JsonObject;
}
