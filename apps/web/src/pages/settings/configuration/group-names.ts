import { msg, t } from "../../../i18n/t.ts";

const NAMES: Readonly<Record<string, string>> = {
  gateway: msg("Gateway"),
  agents: msg("Agents"),
  session: msg("Conversations"),
  messages: msg("Messages"),
  tools: msg("Tools"),
  commands: msg("Commands of the owner"),
  channels: msg("Channels"),
  bindings: msg("Who answers where"),
  broadcast: msg("Several agents at once"),
  models: msg("Models and providers"),
  skills: msg("Skills"),
  mcp: msg("MCP servers"),
  lsp: msg("Language servers"),
  commandHooks: msg("Command hooks"),
  plugins: msg("Plugins"),
  spend: msg("Spending limits"),
  cron: msg("Scheduled jobs"),
  hooks: msg("Webhooks"),
  memory: msg("Memory"),
  acp: msg("External agents"),
  $schema: msg("Schema of the file"),
};

/** A group of the configuration in words. One that the page does not know has its own name. */
export function groupName(key: string): string {
  const name = NAMES[key];
  return name === undefined ? key : t(name);
}
