import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** Where the product explains itself. */
export const documentation: PromptSection = {
  id: "documentation",
  half: "stable",
  modes: ["full"],
  render: ({ documentation: { folder, url } }) => {
    if (folder === undefined && url === undefined) return undefined;
    return [
      "## Documentation",
      "Questions about Factotum and its settings: look them up, do not guess.",
      ...(folder === undefined ? [] : [`- On this machine, without a network: ${oneLine(folder)}`]),
      ...(url === undefined ? [] : [`- Online: ${oneLine(url)}`]),
    ].join("\n");
  },
};
