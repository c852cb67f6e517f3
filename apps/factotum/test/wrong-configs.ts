/** A configuration file with a mistake that people make. */
export interface WrongConfig {
  /** The mistake, for readers of the fixture. */
  readonly mistake: string;
  readonly text: string;
  /** `json5` if left out. */
  readonly format?: "json5" | "json" | "yaml";
}

const irc = (account: string): string => `{
  channels: {
    irc: ${account},
  },
}`;
const feishu = (account: string): string => `{
  channels: {
    feishu: ${account},
  },
}`;

/** Every message that these get is reviewed in `fixtures/wrong-configs.txt`. */
export const WRONG_CONFIGS: readonly WrongConfig[] = [
  // Syntax
  { mistake: "a comma is missing", text: '{\n  gateway: { port: 18790 }\n  session: { scope: "global" },\n}' },
  { mistake: "a colon is missing", text: "{\n  gateway { port: 18790 },\n}" },
  { mistake: "an equals sign for a colon", text: "{\n  gateway: { port = 18790 },\n}" },
  { mistake: "a closing brace is missing", text: "{\n  gateway: {\n    port: 18790,\n}\n" },
  { mistake: "a bracket closes a brace", text: "{\n  gateway: { port: 18790 ],\n}" },
  { mistake: "a text without quotes", text: "{\n  agents: { defaults: { model: anthropic/claude-sonnet-5-5 } },\n}" },
  { mistake: "a quote is missing", text: '{\n  agents: { defaults: { model: "anthropic/claude-sonnet-5-5 } },\n}' },
  { mistake: "typographic quotes", text: "{\n  agents: { defaults: { model: “anthropic/claude-sonnet-5-5” } },\n}" },
  { mistake: "a comment of another language", text: "{\n  # the port\n  gateway: { port: 18790 },\n}" },
  { mistake: "a comment without an end", text: "{\n  /* the port\n  gateway: { port: 18790 },\n}" },
  { mistake: "two commas", text: "{\n  gateway: { port: 18790 },,\n}" },
  { mistake: "a value is missing", text: "{\n  gateway: { port: },\n}" },
  { mistake: "a key with a dash and no quotes", text: '{\n  agents: { list: [{ id: "a", skip-bootstrap: true }] },\n}' },
  { mistake: "text behind the end", text: "{\n  gateway: { port: 18790 },\n}\n}\n" },
  { mistake: "keys in a list", text: '{\n  bindings: [agentId: "main"],\n}' },
  { mistake: "a list instead of an object", text: "[]" },
  { mistake: "an empty file", text: "  \n" },
  { mistake: "a key that stands twice", text: '{\n  gateway: { port: 18790 },\n  gateway: { bind: "lan" },\n}' },
  {
    mistake: "a comma is missing beside a secret",
    text: '{\n  models: { providers: { anthropic: { apiKey: "sk-canary-1234567" models: [] } } },\n}',
  },
  { mistake: "JSON with a comma missing", format: "json", text: '{\n  "gateway": {\n    "port": 18790\n    "bind": "lan"\n  }\n}' },
  { mistake: "JSON that is cut off", format: "json", text: '{\n  "gateway": {\n    "port": 18790,\n' },
  { mistake: "YAML in a file of JSON5", text: "# mine\ngateway:\n  port: 18790\n" },
  { mistake: "JSON5 without the object around it", text: 'gateway: { port: 18790, auth: { token: "canary-token" } },\n' },
  { mistake: "YAML with a tab", format: "yaml", text: "gateway:\n\tport: 18790\n" },
  { mistake: "YAML with a wrong indentation", format: "yaml", text: "gateway:\n  port: 18790\n bind: lan\n" },
  { mistake: "YAML with a key twice", format: "yaml", text: "gateway:\n  port: 18790\n  port: 18791\n" },
  { mistake: "YAML with a colon missing", format: "yaml", text: "gateway\n  port: 18790\n" },
  { mistake: "YAML with an open quote", format: "yaml", text: 'agents:\n  defaults:\n    model: "anthropic/claude\n' },
  // Keys
  { mistake: "a typo at the root", text: "{\n  gatway: { port: 18790 },\n}" },
  { mistake: "a typo one level down", text: "{\n  gateway: { prot: 18790 },\n}" },
  { mistake: "a typo three levels down", text: "{\n  agents: { defaults: { compaction: { reserveToken: 1000 } } },\n}" },
  { mistake: "a typo in a list", text: '{\n  agents: { list: [{ id: "main" }, { id: "b", modle: "openai/gpt-5.5" }] },\n}' },
  { mistake: "a typo under a name", text: '{\n  models: { providers: { anthropic: { apikey: "sk-canary-1234567" } } },\n}' },
  { mistake: "a typo in YAML", format: "yaml", text: "session:\n  rest:\n    mode: idle\n" },
  { mistake: "a key at the wrong level", text: "{\n  port: 18790,\n}" },
  { mistake: "a key of another product", text: '{\n  gateway: { hostname: "assistant" },\n}' },
  { mistake: "a path as a key", text: '{\n  "gateway.port": 18790,\n}' },
  { mistake: "a restriction misspelt", text: '{\n  tools: { exec: { mod: "deny" } },\n}' },
  { mistake: "an old and a new name", text: '{\n  agents: { defaults: { workspace: "~/a", workspaceDir: "~/b" } },\n}' },
  // Kinds and choices
  { mistake: "a number in quotes", text: '{\n  gateway: { port: "18790" },\n}' },
  { mistake: "a number out of range", text: "{\n  gateway: { port: 187900 },\n}" },
  { mistake: "a number with a point", text: "{\n  messages: { queue: { cap: 2.5 } },\n}" },
  { mistake: "a negative number", text: "{\n  messages: { inbound: { debounceMs: -1 } },\n}" },
  { mistake: "yes for true", text: '{\n  agents: { defaults: { skipBootstrap: "yes" } },\n}' },
  { mistake: "an address that is none of this machine", text: '{\n  gateway: { bind: "lann" },\n}' },
  { mistake: "a choice misspelt", text: '{\n  session: { dmScope: "per-pear" },\n}' },
  { mistake: "a choice that does not exist", text: '{\n  agents: { defaults: { thinking: "a lot" } },\n}' },
  { mistake: "a text for a list", text: '{\n  tools: { deny: "exec" },\n}' },
  { mistake: "a number in a list of texts", text: "{\n  session: { resetTriggers: [1] },\n}" },
  { mistake: "a list for an object", text: '{\n  models: { providers: ["anthropic"] },\n}' },
  { mistake: "null", text: "{\n  agents: { defaults: { model: null } },\n}" },
  { mistake: "an empty text", text: '{\n  agents: { defaults: { model: "" } },\n}' },
  { mistake: "an object without the key it needs", text: '{\n  agents: { defaults: { model: { fallbacks: ["openai/gpt-5.5"] } } },\n}' },
  { mistake: "heartbeat neither off nor an object", text: '{\n  agents: { defaults: { heartbeat: "30m" } },\n}' },
  { mistake: "a duration without a unit", text: '{\n  agents: { defaults: { heartbeat: { every: "30" } } },\n}' },
  { mistake: "a duration as a number", text: "{\n  session: { maintenance: { pruneAfter: 30 } },\n}" },
  {
    mistake: "a time that does not exist",
    text: '{\n  agents: { defaults: { heartbeat: { every: "1h", activeHours: { start: "8:00", end: "22:00" } } } },\n}',
  },
  { mistake: "a time zone that does not exist", text: '{\n  agents: { defaults: { userTimezone: "Europe/Berln" } },\n}' },
  {
    mistake: "a secret in an unknown form",
    text: '{\n  models: { providers: { anthropic: { apiKey: { var: "ANTHROPIC_API_KEY" } } } },\n}',
  },
  { mistake: "an owner without a channel", text: '{\n  commands: { ownerAllowFrom: ["ou_881e"] },\n}' },
  { mistake: "an address without https", text: '{\n  gateway: { publicUrl: "assistant.example.com" },\n}' },
  { mistake: "a provider without its wire format", text: '{\n  models: { providers: { mine: { baseUrl: "http://127.0.0.1:1" } } },\n}' },
  { mistake: "a provider's id misspelt", text: '{\n  models: { providers: { antropic: { apiKey: "sk-canary-1234567" } } },\n}' },
  { mistake: "a kind of run that does not exist", text: "{\n  spend: { perCause: { heartbeet: { usdPerDay: 1 } } },\n}" },
  // Channels
  { mistake: "a channel that does not exist", text: '{\n  channels: { fieshu: { appId: "cli_0123456789abcdef" } },\n}' },
  {
    mistake: "a heartbeat to a channel that does not exist",
    text: '{\n  agents: { defaults: { heartbeat: { every: "1h", target: "telegam:4711" } } },\n}',
  },
  { mistake: "an account without its secret", text: feishu('{ appId: "cli_0123456789abcdef", transport: { type: "websocket" } }') },
  {
    mistake: "a transport that does not exist",
    text: feishu('{ appId: "cli_0123456789abcdef", appSecret: "canary-secret", transport: { type: "socket" } }'),
  },
  {
    mistake: "a webhook without its keys",
    text: feishu('{ appId: "cli_0123456789abcdef", appSecret: "canary-secret", transport: { type: "webhook" } }'),
  },
  {
    mistake: "accounts and the short form",
    text: feishu('{ appId: "cli_0123456789abcdef", accounts: { work: { appId: "cli_fedcba9876543210" } } }'),
  },
  { mistake: "a nickname with a space", text: irc('{ host: "irc.example.org", nick: "my bot" }') },
  { mistake: "a host with a port", text: irc('{ host: "irc.example.org:6697", nick: "factotum" }') },
  // Contradictions
  { mistake: "two agents of one id", text: '{\n  agents: { list: [{ id: "a" }, { id: "a" }] },\n}' },
  {
    mistake: "everybody without saying so",
    text: feishu('{ appId: "cli_0123456789abcdef", appSecret: "canary-secret", transport: { type: "websocket" }, dmPolicy: "open" }'),
  },
  // What only this version and this machine know
  { mistake: "a model misspelt", text: '{\n  agents: { defaults: { model: "anthropic/claude-sonet-5-5" } },\n}' },
  {
    mistake: "a provider misspelt, and secrets that are nowhere",
    text: '{\n  agents: { defaults: { model: "antropic/claude-sonnet-5-5" } },\n  models: { providers: { openai: { apiKey: "${NOT_SET}" }, mistral: { apiKey: { file: "credentials/none" } } } },\n}',
  },
];
