import type { AgentToolResult, FilledPrompt, RunFacts, SourcePrompt } from "@factotum/agent-contract";
import type { ListedPrompt } from "./parse-prompts.ts";

const MAX_SUMMARY_CHARS = 160;

/** What a prompt belongs to. */
export interface PromptOwner {
  readonly trusted: boolean;
  /** Never rejects. */
  readonly get: (
    prompt: ListedPrompt,
    given: Readonly<Record<string, string>>,
    options: { readonly run: RunFacts; readonly signal: AbortSignal },
  ) => Promise<AgentToolResult>;
  readonly hideSecrets: (text: string) => string;
}

/** Makes the slash command of a prompt. */
export function createMcpPrompt(prompt: ListedPrompt, name: string, { trusted, get, hideSecrets }: PromptOwner): SourcePrompt {
  return {
    name,
    summary: hideSecrets(summaryOf(prompt, name)),
    arguments: prompt.arguments,
    fill: async (given, options): Promise<FilledPrompt> => {
      if (!options.run.owner)
        return {
          type: "failed",
          text: "Prompts of MCP servers are the owner's alone, and this message is not the owner's.",
          untrusted: false,
        };
      const { content, isError } = await get(prompt, given, options);
      const text = hideSecrets(content.map((part) => (part.type === "text" ? part.text : "[an image, which is left out]")).join("\n\n"));
      return { type: isError === true ? "failed" : "filled", text, untrusted: !trusted };
    },
  };
}

function summaryOf({ title, description, arguments: asked }: ListedPrompt, name: string): string {
  const about = (title ?? description) || "a prompt of an MCP server";
  const short = about.length <= MAX_SUMMARY_CHARS ? about : `${about.slice(0, MAX_SUMMARY_CHARS - 1).toWellFormed()}…`;
  if (asked.length === 0) return short;
  const words = asked.map((argument) => (argument.isRequired ? `<${argument.name}>` : `[${argument.name}]`));
  return `/${name} ${words.join(" ")}: ${short}`;
}
