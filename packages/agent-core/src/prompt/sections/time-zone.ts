import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** The time zone without the time, which each turn has. */
export const timeZone: PromptSection = {
  id: "time-zone",
  half: "session",
  modes: ["full", "minimal"],
  render: (facts) => `## Time Zone\n${oneLine(facts.timeZone)}. Times given without a zone are in this zone.`,
};
