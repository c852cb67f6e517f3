/** The parts of the page. */
const AUTOMATION_TABS = ["jobs", "heartbeat", "webhooks"] as const;

/** A part of the page. */
type AutomationTab = (typeof AUTOMATION_TABS)[number];

/** What the address of the page says. */
export interface AutomationsSearch {
  readonly tab?: AutomationTab;
}

/** Reads the address; what is wrong in it counts as missing. */
export function parseAutomationsSearch(search: Readonly<Record<string, unknown>>): AutomationsSearch {
  const tab = AUTOMATION_TABS.find((one) => one === search["tab"]);
  return tab === undefined ? {} : { tab };
}
