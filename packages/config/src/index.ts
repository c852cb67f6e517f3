export type { FactotumConfig, ResolvedAgent } from "./factotum-config.ts";
export type { AccountConfig, ChannelConfig, CommonAccountConfig, GroupConfig } from "./schema/accounts.ts";
export type {
  AgentDefaults,
  AgentEntry,
  AgentRows,
  HeartbeatConfig,
  HumanDelayConfig,
  ModelChoice,
  SandboxConfig,
} from "./schema/agents.ts";
export type { BindingConfig } from "./schema/bindings.ts";
export type { BroadcastConfig } from "./schema/broadcast.ts";
export { isExposed, isLoopbackBind } from "./schema/gateway.ts";
export type { GatewayConfig } from "./schema/gateway.ts";
export { LspServerSchema } from "./schema/lsp.ts";
export { McpServerSchema } from "./schema/mcp-servers.ts";
export type { PackageServer, PackageServers } from "./package-servers.ts";
export type { CommandHook } from "./schema/command-hooks.ts";
export type { LspConfig, LspServerConfig } from "./schema/lsp.ts";
export type { McpServerConfig } from "./schema/mcp-servers.ts";
export type { PluginsConfig } from "./schema/plugins.ts";
export type { SkillsConfig } from "./schema/skills.ts";
export type { MessagesConfig, QueueMode } from "./schema/messages.ts";
export { ModelEntrySchema } from "./schema/models.ts";
export type { PackageProvider } from "./package-providers.ts";
export type { ModelEntry, ModelsConfig, ModelTimeouts, ProviderConfig, TranscriptionConfig } from "./schema/models.ts";
export type { CommandsConfig, PlainSections } from "./schema/root.ts";
export { WEBHOOK_SCHEMES } from "./schema/webhooks.ts";
export type { WebhookMapping, WebhookScheme, WebhooksConfig } from "./schema/webhooks.ts";
export { parseSecret, REDACTED } from "./schema/secret.ts";
export type { Secret } from "./schema/secret.ts";
export type { ResetConfig } from "./schema/session-reset.ts";
export type { DmScope, SendRule, SessionConfig } from "./schema/session.ts";
export type { SpendCap, SpendConfig } from "./schema/spend.ts";
export type { ToolPolicy, ToolsConfig } from "./schema/tools.ts";
export { ACTIVE_KEYS } from "./active-keys.ts";
export { describeCommandPolicy } from "./describe-command-policy.ts";
export { formatKeyPath, KeyPathError, parseKeyPath } from "./document/key-path.ts";
export type { KeyPath } from "./document/key-path.ts";
export { formatOf, parseText } from "./document/parse-text.ts";
export { valueAt } from "./document/key-path.ts";
export { hashOf } from "./document/hash-of.ts";
export { describeKey } from "./describe-key.ts";
export type { KeyDescription } from "./describe-key.ts";
export { describeUnknownKey, getConfigValue } from "./get-config-value.ts";
export type { ConfigValue } from "./get-config-value.ts";
export { loadConfig, readConfigText, rememberConfig } from "./load-config.ts";
export type { ConfigReading, LoadConfigOptions, LoadedConfig, RefusedConfig } from "./load-config.ts";
export { parseModelReference } from "./models/model-reference.ts";
export type { KnownModels, ModelReference, ParsedModelReference } from "./models/model-reference.ts";
export type { HostFacts } from "./resolve-config.ts";
export { resolveAccountSettings } from "./secrets/account-settings.ts";
export type { AccountSettings } from "./secrets/account-settings.ts";
export { resolveProviderKeys } from "./secrets/provider-keys.ts";
export { literalSecrets, redactSecrets, secretValues } from "./secrets/redact.ts";
export { resolveSecret } from "./secrets/resolve-secret.ts";
export type { ResolveSecretOptions, SecretResolution } from "./secrets/resolve-secret.ts";
export { isPlainVariable, isSecretPath } from "./secrets/secret-keys.ts";
export { secretFiles, secretVariables, unresolvedSecrets } from "./secrets/unresolved-secrets.ts";
export { writePrivateFile } from "./state/atomic-file.ts";
export { FolderError, folderObstacle, makeFolder } from "./state/make-folder.ts";
export { ensureGatewayToken, MIN_EXPOSED_TOKEN_LENGTH, readGatewayToken, replaceGatewayToken } from "./state/gateway-token.ts";
export { readLastGood } from "./state/last-good.ts";
export type { LastGoodCopy } from "./state/last-good.ts";
export { locateConfig } from "./state/locate-config.ts";
export type { ConfigLocation } from "./state/locate-config.ts";
export { statePaths } from "./state/state-paths.ts";
export type { Environment, StatePaths } from "./state/state-paths.ts";
export { matchesTool, TOOL_GROUP_NAMES, TOOL_NAMES } from "./tools/tool-names.ts";
export { accountProblems, extensionProblems } from "./validate/account-problems.ts";
export type { WrittenAccount } from "./validate/account-problems.ts";
export { accountJsonSchema, isAvailable, loadChannelSchemas, parserOf as configParserOf } from "./validate/channel-source.ts";
export type { AvailableChannel, ChannelSchema, ChannelSource, UnavailableChannel } from "./validate/channel-source.ts";
export { renderConfigReference } from "./reference/render-reference.ts";
export { describedKeys, describedSchema } from "./reference/describe-schema.ts";
export { RESTART_KEYS } from "./restart-keys.ts";
export { locateProblems } from "./validate/locate-problems.ts";
export { formatProblem, isFatal, listProblems, showProblem } from "./validate/problem.ts";
export type { ConfigProblem } from "./validate/problem.ts";
export { watchConfig } from "./watch/watch-config.ts";
export type { FolderWatcher, WatchConfigOptions } from "./watch/watch-config.ts";
export { diffDocuments } from "./write/diff-documents.ts";
export { patternCost } from "./schema/pattern-cost.ts";
export { mergeEdits } from "./write/merge-patch.ts";
export { changeConfig, setConfigValue } from "./write/set-config-value.ts";
export type { ConfigEdit, SetConfigOptions, SetConfigResult } from "./write/set-config-value.ts";
export type { ConfigChange } from "./write/diff-documents.ts";
export { parseTypedValue } from "./write/parse-value.ts";
