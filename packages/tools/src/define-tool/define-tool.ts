import type {
  AgentTool,
  AgentToolResult,
  InspectedCall,
  JsonObject,
  JsonSchema,
  MessagingFeatures,
  RunFacts,
  ToolCall,
  ToolOptions,
  ToolTraits,
} from "@factotum/agent-contract";
import { z } from "zod";
import { FileAccessError } from "../file-access/file-access-error.ts";
import { describeMisplaced, type ParameterActions } from "./misplaced-parameters.ts";
import { errorResult, ownError } from "./tool-result.ts";

/** A tool as its author writes it: the schema is the single source of both the check and the description for the model. */
export interface ToolDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** A `z.strictObject`: an unknown parameter is an error that lists the known ones. */
  readonly schema: Schema;
  /** Accepted aliases of a parameter, such as `file_path` for `path`; the model is not shown them. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** For a tool with an `action`: a call whose action ignores one of these parameters is refused. */
  readonly takenBy?: ParameterActions;
  readonly traits: ToolTraits;
  /** The traits of a call with valid arguments; calls with others have `traits`. */
  readonly traitsFor?: (args: z.output<Schema>) => ToolTraits;
  /** The description and schema for a session with these features. */
  readonly narrow?: (features: MessagingFeatures) => { readonly description: string; readonly schema: z.ZodObject };
  /** What a call with valid arguments would do. Absent: the arguments say it. */
  readonly inspect?: (args: z.output<Schema>, run: RunFacts) => Promise<InspectedCall>;
  /** The file that a call with valid arguments would change and later turns follow as instructions. */
  readonly changedInstructions?: (args: z.output<Schema>, run: RunFacts) => Promise<string | undefined>;
  execute(args: z.output<Schema>, options: ToolOptions & { readonly callId: string }): Promise<AgentToolResult>;
}

/**
 * Makes a tool that checks its arguments before it runs. `null` counts as omitted. Bad arguments and a FileAccessError become error results; the loop reports
 * any other exception of `execute`.
 */
export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): AgentTool {
  const {
    name,
    summary,
    description,
    schema,
    aliases = {},
    takenBy = {},
    traits,
    traitsFor,
    narrow,
    inspect,
    changedInstructions,
  } = definition;
  // Few combinations exist, and every new session asks for one.
  const narrowings = new Map<string, Pick<AgentTool, "description" | "parameters">>();
  return {
    name,
    summary,
    description,
    parameters: toParameters(schema),
    traits,
    ...(traitsFor === undefined
      ? {}
      : {
          traitsFor: (call: ToolCall) => {
            const parsed = schema.safeParse(normalise(call.arguments, aliases));
            return parsed.success ? traitsFor(parsed.data) : traits;
          },
        }),
    ...(narrow === undefined
      ? {}
      : {
          narrow: (features: MessagingFeatures) => {
            const key = JSON.stringify(features);
            const known = narrowings.get(key);
            if (known !== undefined) return known;
            const narrowed = narrow(features);
            const created = { description: narrowed.description, parameters: toParameters(narrowed.schema) };
            narrowings.set(key, created);
            return created;
          },
        }),
    // A call that fails is refused before the owner is asked about it.
    inspect: async (call: ToolCall, run: RunFacts): Promise<InspectedCall> => {
      const parsed = schema.safeParse(normalise(call.arguments, aliases));
      if (!parsed.success) return { type: "invalid", message: describeIssues(name, parsed.error, Object.keys(schema.shape)) };
      const misplaced = describeMisplaced(parsed.data, takenBy);
      if (misplaced !== undefined) return { type: "invalid", message: misplaced };
      if (inspect === undefined) return { type: "action", text: JSON.stringify(call.arguments, undefined, 2), binding: call.arguments };
      try {
        return await inspect(parsed.data, run);
      } catch (error) {
        if (error instanceof FileAccessError) return { type: "invalid", message: error.message };
        throw error;
      }
    },
    ...(changedInstructions === undefined
      ? {}
      : {
          changedInstructions: async (call: ToolCall, run: RunFacts): Promise<string | undefined> => {
            const parsed = schema.safeParse(normalise(call.arguments, aliases));
            // A call that fails changes nothing.
            return parsed.success ? unlessClosed(changedInstructions(parsed.data, run)) : undefined;
          },
        }),
    async execute(call, options) {
      const parsed = schema.safeParse(normalise(call.arguments, aliases));
      if (!parsed.success) return ownError(describeIssues(name, parsed.error, Object.keys(schema.shape)));
      const misplaced = describeMisplaced(parsed.data, takenBy);
      if (misplaced !== undefined) return ownError(misplaced);
      try {
        return await definition.execute(parsed.data, { ...options, callId: call.id });
      } catch (error) {
        if (error instanceof FileAccessError) return errorResult(error.message, { details: { code: error.code } });
        throw error;
      }
    },
  };
}

async function unlessClosed(found: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof FileAccessError) return undefined;
    throw error;
  }
}

function toParameters(schema: z.ZodObject): JsonSchema {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  // A JSON Schema by type; the round trip drops zod's extra properties.
  return withoutBounds(JSON.parse(JSON.stringify(parameters)) as JsonObject);
}

/** Bounds that a model hardly ever exceeds, like that of `additionalProperties: false`. They are checked all the same; every request would pay for them. */
const BOUNDS = new Set(["minLength", "maxLength", "minItems", "maxItems", "minimum", "exclusiveMinimum", "propertyNames"]);

/** A larger maximum says nothing to a model. */
const TELLING_MAXIMUM = 10_000;

function withoutBounds(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(
    ([key, value]) =>
      !BOUNDS.has(key) &&
      !(key === "maximum" && typeof value === "number" && value > TELLING_MAXIMUM) &&
      !(key === "additionalProperties" && value === false),
  );
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (key === "properties") return [key, mapValues(value as JsonObject, withoutBounds)];
      return [key, typeof value === "object" && value !== null && !Array.isArray(value) ? withoutBounds(value as JsonObject) : value];
    }),
  );
}

function mapValues(object: JsonObject, change: (value: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value as JsonObject)]));
}

function normalise(args: JsonObject, aliases: Readonly<Record<string, string>>): Record<string, unknown> {
  const given = Object.entries(args).filter(([, value]) => value !== null && value !== undefined);
  const named = new Map<string, unknown>(given.filter(([key]) => !Object.hasOwn(aliases, key)));
  for (const [key, value] of given) {
    const canonical = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
    if (canonical === undefined) continue;
    const known = named.get(canonical);
    if (known === undefined || known === "") named.set(canonical, value);
    // Two values for one parameter: the schema refuses the alias, so that neither is dropped silently.
    else if (known !== value && value !== "") named.set(key, value);
  }
  return Object.fromEntries(named);
}

function describeIssues(tool: string, error: z.ZodError, known: readonly string[]): string {
  const lines = error.issues.map((issue) => {
    const where = issue.path
      .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`))
      .join("");
    if (issue.code === "unrecognized_keys") {
      const names = issue.keys.join(", ");
      return where === "" ? `- unknown parameters: ${names}; allowed: ${known.join(", ")}` : `- ${where}: has no ${names}`;
    }
    const reason = reasonOf(issue);
    return `- ${where === "" ? "arguments" : where}: ${reason.replace(/^Invalid input: /, "")}`;
  });
  return `The arguments of ${tool} are not valid:\n${lines.join("\n")}`;
}

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
  if (issue.code === "too_small" || issue.code === "too_big") return boundOf(issue) ?? issue.message;
  return issue.message;
}

const UNITS: Readonly<Record<string, string>> = { string: "characters", array: "entries", number: "", int: "" };

/** A limit in plain words; `undefined` for a kind of value that no tool bounds. */
function boundOf(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string | undefined {
  const unit = UNITS[issue.origin];
  if (unit === undefined) return undefined;
  const [limit, bound] = issue.code === "too_small" ? [issue.minimum, "at least"] : [issue.maximum, "at most"];
  const more = issue.inclusive === false ? (issue.code === "too_small" ? "more than" : "less than") : bound;
  const counted = Number(limit) === 1 ? unit.replace("entries", "entry").replace("characters", "character") : unit;
  return `${more} ${Number(limit).toLocaleString("en")} ${counted}`.trim();
}
