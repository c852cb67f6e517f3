import { oneLine } from "../one-line.ts";
import { opensFiles } from "../opens-files.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** Where the documentation is. */
export const documentation: PromptSection = {
  id: "documentation",
  half: "stable",
  modes: ["full"],
  render: ({ documentation, tools }) => {
    const { url } = documentation;
    const folder = opensFiles(tools, { owner: true }) ? documentation.folder : undefined;
    if (folder === undefined && url === undefined) return undefined;
    return [
      "## Documentation",
      "Look up questions about Factotum and its settings here instead of guessing:",
      ...(folder === undefined ? [] : [`- On this machine, no network needed: ${oneLine(folder)}`]),
      ...(url === undefined ? [] : [`- Online: ${oneLine(url)}`]),
    ].join("\n");
  },
};
