import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** Short names of models. */
export const modelAliases: PromptSection = {
  id: "model-aliases",
  half: "stable",
  modes: ["full"],
  render: (facts) => {
    if (facts.modelAliases === undefined || facts.modelAliases.length === 0) return undefined;
    const lines = facts.modelAliases.map(({ alias, model }) => `- ${oneLine(alias)}: ${oneLine(model)}`);
    return ["## Model Aliases", "Short names of models. They can be used wherever a model is named:", ...lines].join("\n");
  },
};
