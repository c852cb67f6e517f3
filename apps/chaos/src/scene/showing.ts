/** How an answer is shown: at once, in a message that grows or reports progress, or in several messages. */
export const SHOWINGS = ["whole", "preview", "blocks", "progress"] as const;

export type Showing = (typeof SHOWINGS)[number];

/** Its settings of an account and of agents. */
export function showingConfig(showing: Showing): { readonly account: object; readonly agents: object } {
  switch (showing) {
    case "whole":
      return { account: {}, agents: {} };
    case "preview":
      return { account: { streaming: { mode: "partial" } }, agents: {} };
    case "progress":
      return { account: { streaming: { mode: "progress" } }, agents: {} };
    case "blocks":
      return {
        account: { blockStreaming: true },
        // A part of an answer is a block.
        agents: {
          blockStreamingDefault: "on",
          blockStreamingChunk: { minChars: 40, maxChars: 100 },
          blockStreamingCoalesce: { idleMs: 50 },
        },
      };
  }
}
