/** The parts of the page, in their order. */
const AGENT_TABS = ["persona", "knowledge", "skills", "tools", "servers", "plugins", "bindings"] as const;

/** Name of a part, in the address. */
export type AgentTab = (typeof AGENT_TABS)[number];

/** The part that an address names; the first one for another word. */
export function parseAgentTab(text: string | undefined): AgentTab {
  return AGENT_TABS.find((tab) => tab === text) ?? "persona";
}
