/**
 * The keys whose feature this build has. Everything beneath a named key is active with it; `*` stands for any one part. A key of the
 * schema that is not covered here parses, and `status` says that it is not active yet.
 */
export const ACTIVE_KEYS: readonly string[] = [
  "gateway",
  "models",
  "channels",
  "bindings",
  "commands",
  "agents.list.*.id",
  "agents.list.*.name",
  "agents.list.*.default",
  "agents.list.*.identity",
  "agents.defaults.maxConcurrent",
  ...["agents.defaults", "agents.list.*"].flatMap((place) =>
    ["model", "models", "workspace", "systemPrompt", "skipBootstrap", "userTimezone", "timeoutSeconds", "tools", "skills"].map(
      (row) => `${place}.${row}`,
    ),
  ),
  "session.scope",
  "session.mainKey",
  "session.dmScope",
  "session.identityLinks",
  "messages.groupChat",
  "tools.profile",
  "tools.allow",
  "tools.deny",
  "tools.fs",
  "tools.exec.timeoutSeconds",
  "skills.load",
  "skills.entries.*.enabled",
];
