import { TOOL_CALL } from "../../projection/deferred-calls.ts";
import { oneLine } from "../one-line.ts";
import { orderTools } from "../order-tools.ts";
import type { PromptFacts, PromptSection } from "../prompt-facts.ts";

const MAX_DIRECTORY_CHARS = 400;
/** The line about deferred tools names the one that finds them, and its results the other. */
const CARRIERS: readonly string[] = [TOOL_CALL, "tool_search"];

/** The tools of the session: core tools by name, since their descriptions are in the request anyway; those of plugins and servers one line each. */
export const tooling: PromptSection = {
  id: "tooling",
  half: "stable",
  modes: ["full", "minimal"],
  render: ({ tools, deferredTools = [], brokenSources = [] }) => {
    if (tools.length === 0) return undefined;
    const ordered = orderTools(tools);
    const core = ordered.filter(({ name, origin }) => origin === "core" && !CARRIERS.includes(name)).map(({ name }) => name);
    const added = ordered.filter(({ origin }) => origin !== "core");
    return [
      "## Tooling",
      "Your tools; names are case-sensitive:",
      ...(core.length === 0 ? [] : [core.join(", ")]),
      ...added.map(({ name, summary }) => (summary === "" ? `- ${name}` : `- ${name}: ${oneLine(summary)}`)),
      ...renderDirectory(deferredTools),
      ...(brokenSources.length === 0 ? [] : [`Not usable when this was written: ${renderBounded(brokenSources.map(oneLine))}.`]),
      "TOOLS.md has notes on tools; it adds none.",
    ].join("\n");
  },
};

/** One line about deferred tools: the names of core tools, then how many tools each other source has. */
function renderDirectory(deferred: NonNullable<PromptFacts["deferredTools"]>): readonly string[] {
  if (deferred.length === 0) return [];
  const names = deferred.flatMap(({ name, source }) => (source === "core" ? [`\`${name}\``] : []));
  const counts = new Map<string, number>();
  for (const { source } of deferred) if (source !== "core") counts.set(source, (counts.get(source) ?? 0) + 1);
  const sources = [...counts].map(([source, count]) => `${oneLine(source)}: ${count} tools`);
  return [`More by \`tool_search\`: ${renderBounded([...names, ...sources])}.`];
}

function renderBounded(entries: readonly string[]): string {
  const shown: string[] = [];
  let chars = 0;
  for (const entry of entries) {
    chars += entry.length + 2;
    if (chars > MAX_DIRECTORY_CHARS) break;
    shown.push(entry);
  }
  const rest = entries.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
