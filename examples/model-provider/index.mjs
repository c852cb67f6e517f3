/** A model that answers by the rules of its settings. It shows the form of an answer; a real provider would ask its service here. */
export const plugin = {
  id: "rules",
  setup(api) {
    const rules = api.config.rules ?? [];
    if (rules.length === 0) api.logger.warn("There are no rules: every answer is the same.");

    api.models(async function* ({ model, messages }) {
      const question = textOf(messages.findLast(({ role }) => role === "user"));
      const rule = rules.find(({ contains }) => question.toLowerCase().includes(contains.toLowerCase()));
      const answer = rule?.answer ?? "No rule has an answer to that.";
      const base = {
        id: `answer-${api.clock.now()}`,
        object: "chat.completion.chunk",
        created: Math.floor(api.clock.now() / 1_000),
        model,
      };
      const piece = (delta, finish_reason = null) => ({ ...base, choices: [{ index: 0, delta, finish_reason }] });

      yield piece({ role: "assistant" });
      for (const content of answer.match(/\S+\s*|\s+/g)) yield piece({ content });
      yield piece({}, "stop");
      // Without this, the gateway estimates what the answer has used.
      const [prompt_tokens, completion_tokens] = [tokensOf(JSON.stringify(messages)), tokensOf(answer)];
      yield { ...base, choices: [], usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } };
    });
  },
};

/** The content of a message is a text or a list of parts. */
function textOf({ content } = { content: "" }) {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
}

/** About four characters are a token. */
function tokensOf(text) {
  return Math.ceil(text.length / 4);
}
