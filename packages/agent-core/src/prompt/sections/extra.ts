import type { PromptSection } from "../prompt-facts.ts";

/** Additions from the creator of the session: the task of a sub-agent, the `system` messages of an HTTP request. */
export const extra: PromptSection = {
  id: "extra",
  half: "session",
  modes: ["full", "minimal"],
  render: (facts) => (facts.extra === undefined || facts.extra.trim() === "" ? undefined : `## For This Session\n${facts.extra.trim()}`),
};
