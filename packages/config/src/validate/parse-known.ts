import type * as z from "zod";
import { withoutAll } from "../document/key-path.ts";
import type { Document } from "../document/plain-object.ts";
import { findingsOf, type Finding } from "./issues.ts";
import { PARSE_ONCE } from "./parse-once.ts";

/** A document as parsed by its schema. */
export interface ParsedKnown<Value> {
  readonly findings: readonly Finding[];
  /** The document without its unknown keys. */
  readonly written: Document;
  /** Absent if there are problems other than unknown keys. */
  readonly parsed?: Value;
}

/** Parses a document; unknown keys are reported and removed, and the rest is parsed again. */
export function parseKnown<Value>(schema: z.ZodType<Value>, document: Document): ParsedKnown<Value> {
  const result = schema.safeParse(document, PARSE_ONCE);
  if (result.success) return { findings: [], written: document, parsed: result.data };
  const findings = findingsOf(result.error.issues);
  const unknown = findings.filter(({ type }) => type === "unknown-key");
  if (unknown.length === 0) return { findings, written: document };
  const rest = parseKnown(
    schema,
    withoutAll(
      document,
      unknown.map(({ path }) => path),
    ),
  );
  return { ...rest, findings: [...unknown, ...rest.findings] };
}
