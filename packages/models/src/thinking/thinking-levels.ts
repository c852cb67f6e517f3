import type { ModelInfo, ThinkingLevel } from "@factotum/agent-contract";

const BUDGETS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const EFFORTS: readonly ThinkingLevel[] = ["off", "low", "medium", "high", "adaptive"];

/** Anthropic's models before 4.6 think within a budget; later ones think adaptively and take an effort. */
const BUDGET_MODELS = /claude-(?:3|(?:opus|sonnet|haiku)-4(?:[-.@][015](?!\d)|[-.@]2\d{7}|$))/;

/** True for models on Anthropic's wire that take a thinking budget in tokens. */
export function thinksWithinBudget(id: string): boolean {
  return !id.includes("claude") || BUDGET_MODELS.test(id);
}

/** By the prefix of the model's name; the first match wins. `adaptive` is listed wherever the model can decide by itself. */
const OPENAI: readonly (readonly [pattern: RegExp, levels: readonly ThinkingLevel[]])[] = [
  [/^o\d|^gpt-oss|^codex-mini/, ["low", "medium", "high", "adaptive"]],
  [/^gpt-5(?:-|$)/, ["minimal", "low", "medium", "high", "adaptive"]],
  [/^gpt-5\.1/, EFFORTS],
  [/^gpt-5\.[2-5]/, ["off", "low", "medium", "high", "xhigh", "adaptive"]],
  [/^gpt-(?:5\.[6-9]|[6-9])/, ["off", "low", "medium", "high", "xhigh", "adaptive", "max"]],
];

const GOOGLE: typeof OPENAI = [
  [/^gemini-2\.5-pro/, ["minimal", "low", "medium", "high", "xhigh", "adaptive", "max"]],
  [/^gemini-2/, [...BUDGETS, "adaptive"]],
  [/^gemini-3(?:\.\d)?-pro/, ["low", "high", "adaptive"]],
  [/^gemini-3\.[78]/, ["low", "medium", "high", "adaptive"]],
  [/^gemini-3/, ["minimal", "low", "medium", "high", "adaptive"]],
];

/** The levels a model accepts: those of the catalogue or the configuration, else those of its wire format and line. `off` alone: none. */
export function thinkingLevelsOf(info: ModelInfo): readonly ThinkingLevel[] {
  if (!info.reasoning) return ["off"];
  const name = info.id.slice(info.id.lastIndexOf("/") + 1);
  switch (info.api) {
    case "anthropic-messages":
      if (thinksWithinBudget(info.id)) return withinBudget(info.thinkingLevels);
      if (info.thinkingLevels !== undefined) return info.thinkingLevels;
      return /-4[-.]6/.test(name)
        ? ["off", "low", "medium", "high", "adaptive", "max"]
        : ["off", "low", "medium", "high", "xhigh", "adaptive", "max"];
    case "openai-responses":
      return info.thinkingLevels ?? byName(OPENAI, name) ?? EFFORTS;
    case "openai-chat":
      return withOff(info.thinkingLevels) ?? (info.provider === "openai" ? byName(OPENAI, name) : undefined) ?? EFFORTS;
    case "google-generative-ai":
      return withAdaptive(info.thinkingLevels) ?? byName(GOOGLE, name) ?? ["low", "medium", "high", "adaptive"];
    case "mistral":
      return info.thinkingLevels ?? ["off", "high", "adaptive"];
    case "demo":
      return ["off"];
  }
}

/** A model with a thinking budget cannot decide for itself. */
function withinBudget(levels: readonly ThinkingLevel[] | undefined): readonly ThinkingLevel[] {
  const taken = BUDGETS.filter((level) => levels?.includes(level) ?? true);
  return taken.length === 0 ? BUDGETS : taken;
}

/** On servers that imitate the chat endpoint, thinking that is not requested is off, or left to the model. */
function withOff(levels: readonly ThinkingLevel[] | undefined): readonly ThinkingLevel[] | undefined {
  return levels === undefined ? undefined : [...new Set<ThinkingLevel>(["off", ...levels, "adaptive"])];
}

function withAdaptive(levels: readonly ThinkingLevel[] | undefined): readonly ThinkingLevel[] | undefined {
  return levels === undefined ? undefined : [...new Set<ThinkingLevel>([...levels, "adaptive"])];
}

function byName(table: typeof OPENAI, name: string): readonly ThinkingLevel[] | undefined {
  return table.find(([pattern]) => pattern.test(name))?.[1];
}
