import type { ToolSchema } from "@factotum/agent-contract";
import { UNREADABLE_CALL } from "./parse-call.ts";

const RULES = `# How to use tools

This is done in writing. To use a tool, end your answer with a block like this one:

<tool_call>
{"name": "tool_name", "arguments": {"key": "value"}}
</tool_call>

- A block holds exactly one JSON object and stands outside of code fences; what stands in a fence is only shown.
- Several blocks after each other are carried out in their order. Write nothing behind the last one.
- Each is answered in the next message by a \`tool_result\` block, in the same order. Leave writing those to the system.
- When a result speaks of \`${UNREADABLE_CALL}\`, your block was no valid JSON: correct it and write it once more.
- There are no tools but these; spell their names exactly as here. Arguments follow the JSON Schema that is given.`;

/** The description of the tools for a model without native calls. The same tools give the same text. */
export function renderToolPrompt(tools: readonly ToolSchema[]): string {
  const entries = tools.map(({ name, description, parameters }) => {
    const { $schema: _dialect, ...schema } = parameters;
    return `## ${name}\n${description.trim()}\nArguments: ${JSON.stringify(schema)}`;
  });
  return [RULES, ...entries].join("\n\n");
}
