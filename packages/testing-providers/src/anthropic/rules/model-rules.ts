import { isJsonArray, isJsonObject, type JsonObject, showJson } from "../../json.ts";
import { blocksOfType, type RequestView } from "../request-view.ts";
import { type AnthropicRule, bodyRule } from "../rule.ts";
import { THINKING_TYPES, USUAL_THINKING_TYPES } from "../models.ts";
import { prefixesOf, readThinking, signThinking } from "../signature.ts";
import { firstOf } from "./field-rules.ts";

const MIN_BUDGET = 1_024;

function thinkingOf({ body }: RequestView): JsonObject | undefined {
  const thinking = body["thinking"];
  return isJsonObject(thinking) && thinking["type"] !== "disabled" ? thinking : undefined;
}

function numberField({ body }: RequestView, field: string): number | undefined {
  const value = body[field];
  return typeof value === "number" ? value : undefined;
}

function wrongMaxTokens(view: RequestView): string | undefined {
  if (!("max_tokens" in view.body)) return "max_tokens: Field required";
  const maxTokens = numberField(view, "max_tokens");
  if (maxTokens === undefined) return undefined;
  if (maxTokens < 1) return "max_tokens: Input should be greater than or equal to 1";
  const limit = view.model?.maxOutput ?? Infinity;
  return maxTokens > limit
    ? `max_tokens: ${maxTokens} > ${limit}, which is the maximum allowed number of output tokens for ${view.modelId}`
    : undefined;
}

/** Checks the call that the last message answers; nothing outside a running tool loop. */
function loopOpensWithThinking(view: RequestView): string | undefined {
  const last = view.messages.at(-1);
  if (thinkingOf(view)?.["type"] !== "enabled" || last?.blocks[0]?.type !== "tool_result") return undefined;
  const opening = view.messages.findLast((message) => message.role === "assistant");
  const [first] = opening?.blocks ?? [];
  return first === undefined || first.type.endsWith("thinking")
    ? undefined
    : `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. ` +
        "When `thinking` is enabled, a final `assistant` message must start with a thinking block.";
}

/** Rules that depend on the model: its limits, thinking, sampling. */
export const MODEL_RULES: readonly AnthropicRule[] = [
  bodyRule({
    id: "model-unknown",
    description: "The model exists.",
    vendorText: "model: …",
    errorType: "not_found_error",
    check: (view) => (view.modelId === "" || view.model !== undefined ? undefined : `model: ${view.modelId}`),
  }),
  bodyRule({
    id: "max-tokens",
    description: "max_tokens is given and within the model's range.",
    vendorText: "max_tokens: … > …, which is the maximum allowed number of output tokens for …",
    check: wrongMaxTokens,
  }),
  bodyRule({
    id: "prompt-length",
    description: "The prompt fits into the model's window.",
    vendorText: "prompt is too long: … tokens > … maximum",
    check: (view) => {
      const limit = view.model?.contextWindow ?? Infinity;
      return view.promptTokens > limit ? `prompt is too long: ${view.promptTokens} tokens > ${limit} maximum` : undefined;
    },
  }),
  bodyRule({
    id: "thinking-type",
    description: "Thinking is of a kind that the model takes.",
    vendorText: "thinking: Input tag '…' found using 'type' does not match any of the expected tags: …",
    check: ({ body, model }) => {
      const { thinking } = body;
      if (!isJsonObject(thinking)) return undefined;
      const type = showJson(thinking["type"]);
      const taken = model?.thinkingTypes ?? USUAL_THINKING_TYPES;
      if (taken.includes(type)) return undefined;
      const tags = (THINKING_TYPES.includes(type) ? taken : THINKING_TYPES).map((tag) => `'${tag}'`).join(", ");
      return `thinking: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`;
    },
  }),
  bodyRule({
    id: "thinking-between-tools",
    description: "Thinking between tools has no further settings.",
    vendorText: "thinking.between_tools.…: Extra inputs are not permitted",
    check: (view) => {
      const thinking = thinkingOf(view);
      const extra = thinking?.["type"] === "between_tools" ? Object.keys(thinking).find((field) => field !== "type") : undefined;
      return extra === undefined ? undefined : `thinking.between_tools.${extra}: Extra inputs are not permitted`;
    },
  }),
  bodyRule({
    id: "thinking-effort",
    description: "Thinking between tools, and on newer models none at all, goes with an effort of low, medium or high.",
    vendorText: "output_config.effort: '…' is not supported with …",
    check: ({ body, model }) => {
      const { thinking, output_config: output } = body;
      const type = isJsonObject(thinking) ? thinking["type"] : undefined;
      const effort = isJsonObject(output) ? output["effort"] : undefined;
      const isLimited = type === "between_tools" || (type === "disabled" && model?.thinksAboveHigh === true);
      return isLimited && (effort === "xhigh" || effort === "max")
        ? `output_config.effort: '${effort}' is not supported with thinking '${showJson(type)}'`
        : undefined;
    },
  }),
  bodyRule({
    id: "thinking-budget-small",
    description: "A thinking budget has at least 1024 tokens.",
    vendorText: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    check: (view) => {
      const thinking = thinkingOf(view);
      if (thinking?.["type"] !== "enabled") return undefined;
      const budget = thinking["budget_tokens"];
      if (typeof budget !== "number") return "thinking.enabled.budget_tokens: Field required";
      return budget < MIN_BUDGET ? "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024" : undefined;
    },
  }),
  bodyRule({
    id: "thinking-budget-large",
    description: "A thinking budget is smaller than max_tokens.",
    vendorText: "`max_tokens` must be greater than `thinking.budget_tokens`.",
    check: (view) => {
      const budget = thinkingOf(view)?.["budget_tokens"];
      const maxTokens = numberField(view, "max_tokens");
      return typeof budget === "number" && maxTokens !== undefined && budget >= maxTokens
        ? "`max_tokens` must be greater than `thinking.budget_tokens`."
        : undefined;
    },
  }),
  bodyRule({
    id: "thinking-temperature",
    description: "With thinking the temperature is 1 or not given.",
    vendorText: "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
    check: (view) =>
      thinkingOf(view) !== undefined && (numberField(view, "temperature") ?? 1) !== 1
        ? "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode."
        : undefined,
  }),
  bodyRule({
    id: "thinking-sampling",
    description: "With thinking there is no top_k, and top_p is at least 0.95.",
    vendorText: "`top_k` must be unset when thinking is enabled or in adaptive mode.",
    check: (view) => {
      if (thinkingOf(view) === undefined) return undefined;
      if ("top_k" in view.body) return "`top_k` must be unset when thinking is enabled or in adaptive mode.";
      return (numberField(view, "top_p") ?? 1) < 0.95
        ? "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled or in adaptive mode."
        : undefined;
    },
  }),
  bodyRule({
    id: "thinking-tool-choice",
    description: "With thinking no tool is forced.",
    vendorText: "Thinking may not be enabled when tool_choice forces tool use.",
    check: (view) => {
      const choice = view.body["tool_choice"];
      const forced = isJsonObject(choice) && (choice["type"] === "any" || choice["type"] === "tool");
      return forced && thinkingOf(view) !== undefined ? "Thinking may not be enabled when tool_choice forces tool use." : undefined;
    },
  }),
  bodyRule({
    id: "thinking-signature",
    description: "A thinking block is sent back unchanged, and only to the model that made it.",
    vendorText: "messages.…: Invalid `signature` in `thinking` block",
    check: (view) =>
      firstOf([...blocksOfType(view, "thinking"), ...blocksOfType(view, "redacted_thinking")], ({ path, type, value }) => {
        const { thinking, signature } = readThinking(value);
        const field = type === "thinking" ? "signature" : "data";
        return signature === signThinking(view.modelId, thinking) ? undefined : `${path}: Invalid \`${field}\` in \`${type}\` block`;
      }),
  }),
  bodyRule({
    id: "thinking-bound",
    description: "On models with preserved thinking nothing before an earlier thought has changed: tools, system prompt, messages.",
    vendorText: "messages.…: The block is bound to a different conversation",
    check: (view) => {
      if (view.model?.bindsThinking !== true) return undefined;
      const prefixes = prefixesOf(view.body);
      return firstOf(view.messages.entries(), ([index, { blocks }]) =>
        firstOf(blocks, ({ path, type, value }) =>
          type.endsWith("thinking") && readThinking(value).prefix !== prefixes[index]
            ? `${path}: The block is bound to a different conversation`
            : undefined,
        ),
      );
    },
  }),
  bodyRule({
    id: "thinking-first",
    description: "With a thinking budget the assistant's message in a running tool loop begins with its thinking.",
    vendorText: "messages.….type: Expected `thinking` or `redacted_thinking`, but found `…`. …",
    check: loopOpensWithThinking,
  }),
  bodyRule({
    id: "temperature-range",
    description: "The temperature is between 0 and 1.",
    vendorText: "temperature: Input should be less than or equal to 1",
    check: (view) => {
      const temperature = numberField(view, "temperature") ?? 0;
      if (temperature > 1) return "temperature: Input should be less than or equal to 1";
      return temperature < 0 ? "temperature: Input should be greater than or equal to 0" : undefined;
    },
  }),
  bodyRule({
    id: "temperature-and-top-p",
    description: "Temperature and top_p are not given together.",
    vendorText: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    check: ({ body, model }) =>
      model?.sampling !== false && "temperature" in body && "top_p" in body
        ? "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
        : undefined,
  }),
  bodyRule({
    id: "sampling-unsupported",
    description: "Models without sampling parameters get none.",
    vendorText: "temperature, top_p and top_k are refused by the newer models of the catalogue",
    check: ({ body, model }) => {
      const field = ["temperature", "top_p", "top_k"].find((name) => name in body);
      return model?.sampling === false && field !== undefined ? `\`${field}\` is not supported by this model.` : undefined;
    },
  }),
  bodyRule({
    id: "sampling-removed",
    description: "API version 2026-10-21 has no sampling parameters.",
    vendorText: "version 2026-10-21: `temperature`, `top_p` and `top_k` are removed, a request with one is a 400",
    check: ({ body, version }) => {
      const field = ["temperature", "top_p", "top_k"].find((name) => name in body);
      return version === "2026-10-21" && field !== undefined ? `${field}: Extra inputs are not permitted` : undefined;
    },
  }),
  bodyRule({
    id: "stop-sequence",
    description: "A stop sequence is not only whitespace.",
    vendorText: "stop_sequences: each stop sequence must contain non-whitespace",
    check: ({ body }) => {
      const sequences = body["stop_sequences"];
      return isJsonArray(sequences) && sequences.some((sequence) => typeof sequence === "string" && sequence.trim() === "")
        ? "stop_sequences: each stop sequence must contain non-whitespace"
        : undefined;
    },
  }),
];
