import type { AgentTool, AgentToolResult, JsonValue } from "@factotum/agent-contract";
import type { OutputRedactor } from "../runtime/output-redactor.ts";

/** The same tools, with the gateway's secrets redacted in results, details, streamed output and errors. */
export function redactTools(tools: readonly AgentTool[], redactor: OutputRedactor): readonly AgentTool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(call, options) {
      // Streamed output is redacted at once, so pending secrets are awaited first; a reload may have added others since.
      await redactor.ready();
      const deltas = redactor.stream(options.onDelta);
      try {
        const result = await tool.execute(call, { ...options, onDelta: deltas.push });
        await redactor.ready();
        return redactResult(result, redactor);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        const message = redactor.redact(error.message);
        throw message === error.message ? error : new Error(message, { cause: error });
      } finally {
        deltas.flush();
      }
    },
  }));
}

function redactResult(result: AgentToolResult, redactor: OutputRedactor): AgentToolResult {
  const content = result.content.map((part) => (part.type === "text" ? { ...part, text: redactor.redact(part.text) } : part));
  return { ...result, content, ...(result.details === undefined ? {} : { details: redactValue(result.details, redactor) }) };
}

function redactValue(value: JsonValue, redactor: OutputRedactor): JsonValue {
  if (typeof value === "string") return redactor.redact(value);
  if (Array.isArray(value)) return value.map((entry: JsonValue) => redactValue(entry, redactor));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => (entry === undefined ? [] : [[redactor.redact(key), redactValue(entry, redactor)]])),
  );
}
