/** A memory of facts from the settings, found by their words. A real one would ask its index or its service here. */
export const plugin = {
  id: "facts",
  setup(api) {
    const facts = api.config.facts ?? [];

    api.memory({
      search({ query, maxResults }) {
        const wanted = wordsOf(query);
        return facts
          .map((text, index) => ({ path: "facts", startLine: index + 1, endLine: index + 1, text, score: shareOf(wanted, wordsOf(text)) }))
          .filter(({ score }) => score > 0)
          .toSorted((one, other) => other.score - one.score)
          .slice(0, maxResults);
      },
      get({ path, from, lines }) {
        const shown = path === "facts" ? facts.slice(from - 1, from - 1 + lines) : [];
        if (shown.length === 0) return null;
        return { text: shown.join("\n"), startLine: from, endLine: from - 1 + shown.length, isCut: from - 1 + lines < facts.length };
      },
    });
  },
};

function wordsOf(text) {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** The share of the wanted words that are there, from 0 to 1. */
function shareOf(wanted, words) {
  return wanted.size === 0 ? 0 : [...wanted].filter((word) => words.has(word)).length / wanted.size;
}
