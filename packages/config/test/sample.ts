import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { accountJsonSchema, type AvailableChannel } from "../src/validate/channel-source.ts";

/** A platform with a secret, an address and a choice of transports, as an extension would describe it. */
export const PlatformSchema: z.ZodType = z.strictObject({
  appId: z.string(),
  appSecret: z.string(),
  baseUrl: z.url().optional(),
  transport: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("websocket") }),
    z.strictObject({ type: z.literal("webhook"), encryptKey: z.string() }),
  ]),
});

/** The channels of a build: one that must be configured, one that is always present. `loads` counts the loaded schemas. */
export function sampleChannels(): { readonly channels: readonly AvailableChannel[]; readonly loads: string[] } {
  const loads: string[] = [];
  const source = (id: string, schema: z.ZodType): AvailableChannel => ({
    id,
    load: () => {
      loads.push(id);
      return Promise.resolve(accountJsonSchema(schema));
    },
  });
  const chatter: AvailableChannel = {
    ...source("chatter", PlatformSchema),
    memberIdProblem: async (id) =>
      /^[+]|^(?!anna)[a-z]+$|^chatter:/.test(id) ? `"${id}" has not the form of the id of a person there. Write a number.` : undefined,
  };
  return { channels: [chatter, { ...source("webchat", z.strictObject({})), implicit: true }], loads };
}

/** A document that sets every key of the schema. */
export const fullDocument = {
  gateway: {
    port: 18791,
    bind: "lan",
    auth: { mode: "token", token: "${GATEWAY_TOKEN}" },
    publicUrl: "https://assistant.example",
    allowedOrigins: ["https://notes.example"],
    trustedProxies: ["10.0.0.0/8"],
  },
  agents: {
    defaults: {
      model: { primary: "anthropic/a", fallbacks: ["openai/b"] },
      models: { "anthropic/a": { alias: "best", params: { cacheRetention: "long" } } },
      workspace: "~/work",
      systemPrompt: "Be kind.",
      skipBootstrap: true,
      bootstrapMaxChars: 100,
      bootstrapTotalMaxChars: 200,
      userTimezone: "Europe/Berlin",
      thinking: "high",
      verbose: "on",
      reasoning: "stream",
      timeoutSeconds: 60,
      maxConcurrent: 3,
      tools: { profile: ["coding", "messaging"], allow: ["read"], deny: ["exec"] },
      skills: { allow: ["one"] },
      heartbeat: {
        every: "30m",
        prompt: "Look around.",
        target: "owner",
        model: "openai/b",
        lightContext: true,
        isolatedSession: true,
        activeHours: { start: "08:00", end: "24:00", timezone: "UTC" },
        ackMaxChars: 100,
      },
      sandbox: {
        mode: "off",
        scope: "agent",
        workspaceAccess: "rw",
        workspaceRoot: "/boxes",
        sessionToolsVisibility: "all",
        backend: "docker",
        image: "debian:12",
      },
      subagents: {
        allowAgents: ["main"],
        maxDepth: 2,
        maxChildren: 3,
        maxConcurrent: 4,
        tools: { profile: "minimal", allow: ["read"], deny: ["exec"] },
        archiveAfterMinutes: 90,
        budget: { tokens: 100_000, usd: 0.5 },
      },
      compaction: { reserveTokens: 1000, keepRecentTokens: 2000, model: "openai/b", memoryFlush: false, notifyUser: true },
      contextPruning: { mode: "off" },
      blockStreamingDefault: "on",
      blockStreamingBreak: "message_end",
      blockStreamingChunk: { minChars: 1, maxChars: 2 },
      blockStreamingCoalesce: { idleMs: 3 },
      humanDelay: { mode: "custom", minMs: 1, maxMs: 2 },
    },
    list: [
      { id: "main", name: "Main", default: true, identity: { name: "Facto", emoji: "🦉" } },
      { id: "coder", workspace: "/code", tools: { allow: ["ls"] } },
    ],
  },
  session: {
    scope: "per-sender",
    mainKey: "home",
    dmScope: "per-peer",
    sharedMain: true,
    identityLinks: { ann: ["chatter:1"] },
    reset: { mode: "idle", atHour: 5, idleMinutes: 30 },
    resetByType: { direct: { mode: "none" }, group: { mode: "daily" }, thread: { mode: "none" } },
    resetByChannel: { chatter: { mode: "none" } },
    resetTriggers: ["/new"],
    sendPolicy: { rules: [{ action: "deny", match: { channel: "chatter", chatType: "group", keyPrefix: "agent:" } }], default: "allow" },
    agentToAgent: { maxPingPongTurns: 2 },
    threadBindings: { idleHours: 12, maxAgeHours: 48, spawnSessions: false },
    maintenance: { mode: "warn", pruneAfter: "30d", maxEntries: 10, maxDiskBytes: 1000 },
  },
  messages: {
    queue: { mode: "collect", byChannel: { chatter: "followup" }, debounceMs: 1, cap: 2, drop: "old" },
    inbound: { debounceMs: 5, maxAgeHours: 48 },
    groupChat: { historyLimit: 7, mentionPatterns: ["hey bot"] },
    tts: { auto: "inbound", provider: "espeak-ng", voice: "en", maxChars: 100 },
  },
  tools: {
    profile: "coding",
    allow: ["read", "ls"],
    deny: ["exec"],
    byProvider: { openai: { deny: ["exec"] } },
    fs: { roots: ["~/docs"] },
    exec: { mode: "full", timeoutSeconds: 5, maxConcurrent: 2, maxProcesses: 64, maxMemoryMb: 512, applyPatch: true },
    elevated: { enabled: false, allowFrom: { chatter: ["1"] } },
    sandbox: { tools: { allow: ["*"], deny: [] } },
    agentToAgent: { enabled: true, allow: [{ from: "main", to: "coder" }] },
    checkpoints: true,
    browser: {
      enabled: true,
      executable: "/usr/bin/chromium",
      headless: true,
      allow: ["example.com", "*.example.com"],
      allowPrivate: ["nas.lan:8080"],
      profiles: ["shopping"],
      guests: true,
      evaluate: true,
      maxTabs: 4,
      maxMemoryMb: 1024,
    },
    web: {
      search: { provider: "searxng", apiKey: { env: "SEARCH_KEY" }, baseUrl: "http://127.0.0.1:9" },
      fetch: { maxBytes: 20_000, allowPrivate: ["nas.lan:8080", "192.168.1.0/24"] },
    },
  },
  commands: { ownerAllowFrom: ["chatter:ou_1"], ownerDisplaySecret: { file: "owner-secret" } },
  channels: {
    defaults: { dmPolicy: "allowlist" },
    chatter: {
      accounts: {
        work: {
          appId: "a",
          appSecret: { env: "CHATTER_SECRET" },
          baseUrl: "http://127.0.0.1:9",
          transport: { type: "webhook", encryptKey: "literal-key" },
          enabled: true,
          dmPolicy: "open",
          allowFrom: ["*", 42],
          groupPolicy: "open",
          groups: {
            g1: {
              requireMention: false,
              allowFrom: ["1"],
              tools: { allow: ["ls"] },
              toolsBySender: {},
              skills: ["one"],
              systemPrompt: "Short.",
            },
          },
          historyLimit: { direct: 1, group: 2, thread: 3 },
          blockStreaming: true,
          streaming: { mode: "block" },
          replyToMode: "all",
          textChunkLimit: 100,
        },
      },
    },
  },
  broadcast: { strategy: "sequential", "chatter:g1": ["main"] },
  bindings: [
    {
      agentId: "coder",
      match: { channel: "chatter", accountId: "work", peer: { kind: "group", id: "g1" }, guildId: "g", roles: ["r"], teamId: "g" },
      session: { dmScope: "per-account-channel-peer" },
      type: "acp",
      acp: { agent: "coder" },
    },
  ],
  models: {
    providers: {
      local: {
        api: "openai-chat",
        baseUrl: "http://127.0.0.1:1234/v1",
        apiKey: { exec: ["pass", "show", "key"] },
        credentials: {},
        models: [
          {
            id: "m",
            contextWindow: 1000,
            maxOutput: 100,
            input: ["text", "image"],
            tools: "prompt",
            reasoning: true,
            thinkingLevels: ["off", "low", "high"],
            cost: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
          },
        ],
        timeouts: { connectSeconds: 1, firstEventSeconds: 2, idleSeconds: 3 },
      },
      shared: {
        api: "openai-chat",
        baseUrl: "http://127.0.0.1:1235/v1",
        credentials: { work: { apiKey: "${K}" }, home: { apiKey: { file: "home-key" } } },
      },
    },
    timeouts: { connectSeconds: 4, firstEventSeconds: 5, idleSeconds: 6 },
    image: "openai/gpt-5.5",
    imageGeneration: "openai/gpt-image-1",
    embedding: "openai/text-embedding-3-small",
    transcription: { command: ["whisper-cli", "-f", "{file}"], timeoutSeconds: 30 },
  },
  skills: { load: { extraDirs: ["/skills"] }, entries: { one: { enabled: true, env: { KEY: "${K}" }, apiKey: "${K}", config: { a: 1 } } } },
  mcp: {
    servers: {
      files: {
        command: "npx",
        args: ["-y"],
        env: { TOKEN: "${T}" },
        cwd: "/x",
        enabled: true,
        toolFilter: ["a"],
        timeoutMs: 5,
        trusted: true,
        sampling: true,
        sandbox: { mode: "on", network: "none", workspace: "rw" },
      },
      remote: { url: "https://mcp.example/x", transport: "sse", headers: { Authorization: "${T}" }, auth: "${T}" },
    },
  },
  acp: {
    enabled: true,
    agents: { coder: { command: "coder", args: ["--acp"], env: { TOKEN: "${T}" }, cwd: "/x", mcpServers: ["remote"] } },
  },
  lsp: {
    servers: {
      ts: {
        enabled: true,
        command: "tsserver",
        args: ["--stdio"],
        env: { TOKEN: "${T}" },
        languages: ["typescript"],
        extensions: { ".vue": "vue" },
        rootMarkers: ["package.json"],
        initializationOptions: { a: 1 },
        settings: { typescript: { a: true } },
        sandbox: { mode: "on", network: "none", workspace: "rw" },
      },
    },
    detect: true,
    workspacePrograms: true,
    changeDiagnostics: false,
    idleMinutes: 5,
    maxServers: 2,
  },
  commandHooks: [
    { event: "before_tool_call", match: { tools: ["exec"], agents: ["main"] }, command: ["/bin/true", "-x"], timeoutSeconds: 5 },
  ],
  plugins: {
    entries: { "@x/y": { enabled: false, trusted: true, idleSeconds: 60, config: { deep: { any: true } } } },
    allow: ["@x/y"],
    deny: ["z"],
  },
  spend: {
    unattended: { tokensPerDay: 5, usdPerDay: 0.5 },
    perCause: { cron: { tokensPerDay: 1, usdPerDay: 1 } },
    perAgent: { main: { tokensPerDay: 2, usdPerDay: 2 } },
  },
  cron: { enabled: true, jobsMayCreateJobs: false },
  hooks: {
    enabled: true,
    path: "/hooks",
    token: { env: "HOOK_TOKEN" },
    maxBodyBytes: 1000,
    allowRequestSessionKey: true,
    allowedSessionKeyPrefixes: ["hook:"],
    deliverTo: ["chatter:1"],
    mappings: [
      {
        name: "issues",
        scheme: "bearer",
        secret: { env: "HOOK_TOKEN" },
        match: {},
        action: "agent",
        agentId: "main",
        sessionKey: "hook:{{id}}",
        task: "Sort it in.",
        message: "{{issue.title}}",
        wakeMode: "now",
        deliver: "owner",
        model: "a/b",
        thinking: "low",
        timeoutSeconds: 5,
        toolsAllow: ["read"],
      },
    ],
  },
  memory: {
    provider: "archive",
    extraPaths: ["/notes"],
    sessions: ["private"],
    dailyReview: "21:00",
    embeddings: { model: "openai/text-embedding-3-small" },
  },
};

/** A fresh state directory; removed on dispose. */
export interface TemporaryHome extends AsyncDisposable {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  write(name: string, content: string | object): Promise<string>;
}

/** Makes a state directory for one test. */
export async function temporaryHome(): Promise<TemporaryHome> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "factotum-config-")));
  return {
    home,
    env: { FACTOTUM_HOME: home, HOME: home },
    async write(name, content) {
      const path = join(home, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}
