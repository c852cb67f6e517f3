import type { JsonSchema } from "@factotum/agent-contract";
import * as z from "zod";

/** A channel that can be configured. */
export interface AvailableChannel {
  readonly id: string;
  /** True for a channel whose account `default` exists without being configured. */
  readonly implicit?: boolean;
  /**
   * Loads the JSON Schema of one account, without the keys that every account has; called only if the file names the channel and the account is enabled. Rejects
   * with a readable message.
   */
  load(): Promise<JsonSchema>;
  /**
   * Why an id matches no sender of a group of this channel, and what to write: sentences. `undefined` for one that can match. Absent for a channel whose ids
   * have no known form.
   */
  memberIdProblem?(id: string): Promise<string | undefined>;
}

/** A known channel without a usable package. */
export interface UnavailableChannel {
  readonly id: string;
  /** Why, and what to do: one line for a person who has configured it. */
  readonly unavailable: string;
}

/** The facts of a channel that the configuration needs. */
export type ChannelSource = AvailableChannel | UnavailableChannel;

/** A channel whose schema has been loaded. */
export interface ChannelSchema {
  readonly id: string;
  readonly schema: JsonSchema;
}

/** Loads the schemas of all available channels, for the JSON Schema of the whole file. A schema that cannot be loaded accepts every account. */
export async function loadChannelSchemas(sources: readonly ChannelSource[]): Promise<readonly ChannelSchema[]> {
  return Promise.all(
    sources.filter(isAvailable).map(async (source) => {
      const schema = await source.load().catch((): JsonSchema => ({ type: "object" }));
      return { id: source.id, schema };
    }),
  );
}

/** True for a channel whose accounts can be used. */
export function isAvailable(source: ChannelSource): source is AvailableChannel {
  return !("unavailable" in source);
}

/**
 * The JSON Schema of an account's settings as they are written, for the package of an extension. Messages of the schema's own refinements are not part of it;
 * that of a pattern is, if its schema has it in `.meta({ patternErrorMessage })`, which editors know, too.
 */
export function accountJsonSchema(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  checkPatterns(json);
  return json;
}

/** A JSON Schema keeps no flags of a pattern: without `u`, `\p{…}` matches other characters. */
function checkPatterns(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === "pattern" && typeof part === "string" && /\\[pP]\{/.test(part))
      throw new TypeError(`The pattern ${part} needs the flag u, which a JSON Schema cannot state: write it without \\p.`);
    checkPatterns(part);
  }
}

/** A parser for settings with this JSON Schema. Throws for keywords that it does not support. */
export function parserOf(schema: JsonSchema): z.ZodType {
  return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema, { registry: z.registry() });
}
