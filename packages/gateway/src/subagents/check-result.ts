import type { JsonSchema } from "@factotum/agent-contract";
import * as z from "zod";

const FENCED = /^```(?:json)?\s*\n([^]*?)\n?```$/;
const MAX_ISSUES = 5;

/** A result that has the form that was asked for, or what is wrong with it. */
export type CheckedResult = { readonly type: "fits"; readonly json: string } | { readonly type: "misfit"; readonly problem: string };

/** What is wrong with a schema; `undefined` if results can be checked by it. */
export function schemaProblem(schema: JsonSchema): string | undefined {
  try {
    toZod(schema);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "it is no JSON Schema";
  }
}

/** Checks a result: one JSON value, which may stand in a code block. */
export function checkResult(text: string, schema: JsonSchema): CheckedResult {
  const bare = FENCED.exec(text.trim())?.[1] ?? text.trim();
  let value: unknown;
  try {
    value = JSON.parse(bare);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { type: "misfit", problem: `it is no JSON: ${error.message}` };
  }
  const parsed = toZod(schema).safeParse(value);
  if (parsed.success) return { type: "fits", json: JSON.stringify(value) };
  const issues = parsed.error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `${path.length === 0 ? "the value" : path.join(".")}: ${message}`);
  return { type: "misfit", problem: issues.join("; ") };
}

function toZod(schema: JsonSchema): z.ZodType {
  return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema, { registry: z.registry() });
}
