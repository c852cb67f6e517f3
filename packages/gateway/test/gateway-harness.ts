import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { randomBytes, randomUUID } from "node:crypto";
import { withoutUndefined } from "@factotum/agent-contract";
import type {
  Clock,
  ExternalAgents,
  Logger,
  ModelSampler,
  Questioner,
  Random,
  SkillIndex,
  SettingsAnswer,
  SettingsService,
  SkillUse,
  ToolSource,
} from "@factotum/agent-contract";
import type { AttachmentRef, Channel, ChannelHost, MsgContext, Outbound, SendReceipt } from "@factotum/channel-contract";
import { ChannelError, messageId } from "@factotum/channel-contract";
import type { AccountConfig, FactotumConfig } from "@factotum/config";
import { loadConfig } from "@factotum/config";
import { httpFetch } from "@factotum/models";
import { openSqliteStore } from "@factotum/store";
import type { ApprovalDecision, CheckpointLimits, SqliteStore, Store, StoreDamage } from "@factotum/store";
import { createCoreTools, createFileAccess, createMediaTools, FileAccessError, type WebAccess } from "@factotum/tools";
import type { FileAccess, FileAccessOptions } from "@factotum/tools";
import { NO_MEMORY } from "./no-memory.ts";
import { completeRunner } from "./complete-runner.ts";
import type { TestRunner } from "./complete-runner.ts";
import { NO_SERVICES } from "./no-services.ts";
import { CheckpointKeeper, createFileProvenance, EditorLinks, inboundMediaFolder, startGateway } from "../src/index.ts";
import type {
  ChannelAccount,
  ChannelService,
  CrashPointHook,
  DiskReserve,
  Gateway,
  GatewaySettings,
  HookSource,
  LocalFiles,
  OpenEditorTools,
  OwnerControl,
  PluginRoutesOf,
  RemoteFiles,
  SetupControl,
} from "../src/index.ts";
import { fakeSkills } from "./fake-skills.ts";

/** The real time, as the product uses it. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

export const realRandom: Random = { bytes: (count) => randomBytes(count), uuid: () => randomUUID(), float: () => Math.random() };

/** Collects log lines, so that tests can search them. */
export function createMemoryLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const write = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    const error = fields?.["error"];
    lines.push(JSON.stringify({ level, message, ...fields, ...(error instanceof Error ? { error: error.stack } : {}) }));
  };
  const logger: Logger & { readonly lines: string[] } = {
    lines,
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: () => logger,
  };
  return logger;
}

/** A file of the platform: its bytes, or a function that fetches it. */
type PlatformFile = Uint8Array | ((options: { readonly maxBytes: number; readonly signal: AbortSignal }) => Promise<Uint8Array>);

/** A platform with one account in this process: it records sends and delivers messages. */
export class TestPlatform {
  readonly sent: {
    readonly target: MsgContext["origin"];
    readonly outbound: Outbound;
    readonly idempotencyKey: string;
    readonly replyContext?: string;
    readonly endsTurn?: "done" | "failed" | "aborted";
  }[] = [];
  /** Receipts of `send`; accepted unless a test says otherwise. */
  receipts: SendReceipt[] = [];
  /** The receipt for one outbound; `undefined`: as above. */
  answer: (outbound: Outbound) => SendReceipt | undefined = () => undefined;
  /** Conversations that the platform knows by name. */
  readonly targets: Map<string, MsgContext["origin"]> = new Map<string, MsgContext["origin"]>();
  readonly #addressing: Channel["capabilities"]["addressing"];
  readonly #capabilities: Partial<Channel["capabilities"]>;
  /** Ids are valid in their account alone. */
  hasIdsPerAccount = false;
  /** The platform's context of a message; fetched only with the capability `fetchesContext`. */
  context: Channel["fetchContext"] = async () => ({});
  /** Performs an action; only with its name among the capability `actions`. */
  act: Channel["act"] = async () => {
    throw new Error("no actions");
  };
  /** The optional methods that the capability `optional` declares. */
  optional: Partial<Pick<Channel, "login" | "probe" | "directory" | "history" | "reconcile">> = {};
  /** The message of a webhook, if any. */
  webhook: MsgContext | undefined;
  #host: ChannelHost | undefined;
  #waiting: (() => void)[] = [];
  #count = 0;
  readonly #files = new Map<string, PlatformFile>();

  /** `session-key`: like the gateway's own chat, whose conversations are addressed by session keys. */
  constructor(addressing: Channel["capabilities"]["addressing"] = "platform", capabilities: Partial<Channel["capabilities"]> = {}) {
    this.#addressing = addressing;
    this.#capabilities = capabilities;
  }

  account(config: Partial<AccountConfig> = {}): ChannelAccount {
    return {
      channel: "test",
      accountId: "default",
      config: {
        channel: "test",
        accountId: "default",
        settings: {},
        enabled: true,
        dmPolicy: "pairing",
        allowFrom: [],
        groupPolicy: "allowlist",
        groups: {},
        historyLimit: {},
        blockStreaming: false,
        allowBots: false,
        botLoop: { maxMessages: 20, windowSeconds: 60, cooldownSeconds: 60 },
        reactionNotifications: "own",
        streaming: {},
        ...config,
      },
      create: async (host) => {
        this.#host = host;
        return this.channel;
      },
    };
  }

  message(text: string, extra: Partial<MsgContext> = {}): MsgContext {
    this.#count += 1;
    return {
      origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } },
      eventId: `event-${this.#count}`,
      messageId: messageId(`message-${this.#count}`),
      timestampMs: Date.now(),
      event: { type: "message" },
      sender: { id: "owner-1", name: "Olga", isBot: false },
      text,
      mentionsBot: false,
      attachments: [],
      ...extra,
    };
  }

  /** Puts a file on the platform and returns its reference for a message. A function is called when it is fetched. */
  attachment(file: PlatformFile, facts: Partial<AttachmentRef> = {}): AttachmentRef {
    const ref = `file-${this.#files.size + 1}`;
    this.#files.set(ref, file);
    return { kind: "image", ref, ...facts };
  }

  /** The host that the newest channel got from the gateway. */
  get host(): ChannelHost {
    if (this.#host === undefined) throw new Error("the channel has not been made");
    return this.#host;
  }

  async say(message: MsgContext): Promise<"accepted" | "duplicate"> {
    return this.host.receive(message);
  }

  /** Resolves once `count` sends have arrived in all. */
  async waitForSends(count: number): Promise<void> {
    while (this.sent.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The platform's side of the gateway. */
  get channel(): Channel {
    return {
      capabilities: {
        addressing: this.#addressing,
        inbound: { delivery: "redelivers", transport: "webhook", webhookAuth: "signature" },
        text: { maxLength: 4000, unit: "utf16", markdown: "full", dialect: "markdown" },
        threads: "flat",
        edit: false,
        delete: false,
        reactions: false,
        polls: false,
        typing: false,
        media: [],
        nativeCommands: false,
        buttons: false,
        cards: false,
        streaming: "none",
        idempotentSend: { windowMs: 3_600_000, maxKeyLength: 64 },
        caseSensitiveIds: true,
        ...(!this.hasIdsPerAccount && { idScope: "platform" }),
        actions: [],
        ...this.#capabilities,
      },
      start: async () => undefined,
      handleWebhook: async (request) => {
        if (this.webhook !== undefined) await this.say(this.webhook);
        return new Response(await request.text(), { status: 200 });
      },
      send: async (target, outbound, { idempotencyKey, replyContext, endsTurn }) => {
        const receipt = this.answer(outbound) ??
          this.receipts.shift() ?? { type: "accepted", messageIds: [messageId(`sent-${this.sent.length}`)] };
        if (receipt.type === "accepted")
          this.sent.push({ target, outbound, idempotencyKey, ...withoutUndefined({ replyContext, endsTurn }) });
        for (const wake of this.#waiting.splice(0)) wake();
        return receipt;
      },
      act: async (action, actOptions) => this.act(action, actOptions),
      ...this.optional,
      fetchAttachment: async (ref, fetchOptions) => {
        const file = this.#files.get(ref.ref);
        if (file === undefined) throw new ChannelError("not-found", "there is no such file", { retry: { type: "never" } });
        const bytes = typeof file === "function" ? await file(fetchOptions) : file;
        return { kind: ref.kind, mimeType: ref.mimeType ?? "application/octet-stream", bytes };
      },
      fetchContext: async (message, contextOptions) => this.context(message, contextOptions),
      resolveTarget: async (query) => this.targets.get(query),
      health: () => ({ state: "connected" }),
      stop: async () => undefined,
    };
  }
}

/** Points every agent at a strict Anthropic server. */
export function withModel(baseUrl: string): (config: FactotumConfig) => FactotumConfig {
  return (config) => ({
    ...config,
    agents: config.agents.map((agent) => ({ ...agent, model: { primary: "anthropic/claude-sonnet-5-5", fallbacks: [] } })),
    models: {
      ...config.models,
      providers: {
        anthropic: { baseUrl, apiKey: { type: "literal", value: "sk-test-secret" }, credentials: {}, models: [], timeouts: {} },
      },
    },
  });
}

const noCommands: TestRunner = {
  run: async () => ({ end: { type: "not-started", message: "no commands in this test" }, output: "", outputBytes: 0, durationMs: 0 }),
};

const NO_SETTING = async (): Promise<SettingsAnswer> => ({ type: "refused", message: "no settings in this test" });
const NO_SETTINGS: SettingsService = { describe: NO_SETTING, read: NO_SETTING, plan: NO_SETTING, write: NO_SETTING };

/** A stub: nobody becomes the owner. */
const NO_OWNERS: OwnerControl = { addFirstOwner: async () => ({ type: "done", isOwner: false }) };

/** A gateway over a real store in a folder of its own. */
export interface TestGateway {
  readonly gateway: Gateway;
  readonly store: SqliteStore;
  readonly home: string;
  readonly token: string;
  readonly logger: ReturnType<typeof createMemoryLogger>;
  /** The settings for a reload with this configuration. */
  settings(config: FactotumConfig): GatewaySettings;
  /** Stops it and keeps the folder. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** For `around`: the store with some methods replaced. */
export function withMethods(replace: (store: Store) => Partial<Store>) {
  return (store: Store): Store => {
    const replaced = replace(store);
    return new Proxy(store, {
      get: (target, name: keyof Store) => replaced[name] ?? (target[name] as () => unknown).bind(target),
    });
  };
}

/** For `around`: a gateway that stops leaves its inputs and turns as a kill does. */
export const endsAsKilled: (store: Store) => Store = withMethods(() => ({
  releaseAttempt: async () => undefined,
  releaseInputs: async () => undefined,
}));

/** Starts a gateway. `home`: continue with an earlier one's state. */
export async function startTestGateway(
  options: {
    readonly platform?: TestPlatform;
    readonly accountConfig?: Partial<AccountConfig>;
    readonly home?: string;
    readonly patch?: (config: FactotumConfig) => FactotumConfig;
    readonly accounts?: readonly ChannelAccount[];
    /** The real time unless a test moves it. */
    readonly clock?: Clock;
    /** No time by default. */
    readonly drainMs?: number;
    /** Makes nobody the owner by default. */
    readonly ownerControl?: OwnerControl;
    /** Refuses everything by default. */
    readonly setupControl?: Partial<SetupControl>;
    readonly channelService?: ChannelService;
    /** None by default. */
    readonly skills?: Partial<SkillIndex>;
    /** Is told of invoked skills. */
    readonly skillUse?: SkillUse;
    /** Handlers of hooks. None by default. */
    readonly hookSources?: () => readonly HookSource[];
    /** Routes of plugins. None by default. */
    readonly pluginRoutes?: PluginRoutesOf;
    /** Runs no command by default. */
    readonly runner?: TestRunner;
    /** Runs the programs that the configuration names; none by default. */
    readonly hostCommands?: TestRunner;
    /** The `fetch` of model requests; the real one by default. */
    readonly fetch?: typeof fetch;
    readonly crashPoint?: CrashPointHook;
    /** No web by default. */
    readonly remoteFiles?: RemoteFiles;
    /** For the web tools. No web by default. */
    readonly web?: WebAccess;
    /** Sources in addition to the core tools. None by default. */
    readonly toolSources?:
      | readonly ToolSource[]
      | ((ports: { readonly questioner: Questioner; readonly sampler: ModelSampler }) => readonly ToolSource[]);
    /** With the tools for media, as far as they are configured. */
    readonly mediaTools?: true;
    /** With the tool for jobs, which requests do not have otherwise. */
    readonly cronTool?: true;
    /** With the tools for sessions, which requests do not have otherwise. */
    readonly sessionTools?: true;
    /** Takes no change by default. */
    readonly settingsService?: SettingsService;
    /** Ignored by default. */
    readonly onRestartRequest?: () => Promise<void>;
    /** Between the gateway and its store. */
    readonly around?: (store: Store) => Store;
    /** None by default. */
    readonly reserve?: DiskReserve;
    /** True if runs have the tools of sub-agents. */
    readonly subagents?: boolean;
    /** True if tool calls wait for a decision of the test. */
    readonly asks?: boolean;
    /** The decision on tool calls otherwise; `deny` by default. */
    readonly decides?: () => ApprovalDecision;
    /** The product's by default. */
    readonly checkpointLimits?: CheckpointLimits;
    /** The tools of servers that editors name. None by default. */
    readonly openEditorTools?: OpenEditorTools;
    /** None by default. */
    readonly externalAgents?: ExternalAgents;
    /** Called when the gateway requests a shutdown of its process. Ignored by default. */
    readonly onShutdownRequest?: (reason: string) => void;
  } = {},
): Promise<TestGateway> {
  const home = options.home ?? (await mkdtemp(path.join(tmpdir(), "factotum-gateway-")));
  const environment = { FACTOTUM_HOME: home, FACTOTUM_PORT: "0", HOME: home, OLLAMA_HOST: "127.0.0.1:1" };
  const loaded = await loadConfig({ env: environment, channels: [] });
  if (loaded.type !== "loaded") throw new Error("the test's configuration was refused");
  const owned: FactotumConfig = {
    ...loaded.config,
    commands: { ...loaded.config.commands, ownerAllowFrom: ["test:owner-1"] },
    // A test that runs at four in the morning is a test like any other.
    session: { ...loaded.config.session, reset: { mode: "none", atHour: 4 } },
    // Tests of approvals ask.
    tools: { ...loaded.config.tools, exec: { ...loaded.config.tools.exec, mode: "full" } },
  };
  const config = options.patch?.(owned) ?? owned;
  const logger = createMemoryLogger();
  const common = { clock: options.clock ?? realClock, random: realRandom, logger };
  // Like the product: damage that is found before it can be reported is queued.
  const found: StoreDamage[] = [];
  let reportDamage: (damage: StoreDamage) => void = (damage) => void found.push(damage);
  const store = await openSqliteStore({
    folder: path.join(home, "state"),
    copies: { folder: (agentId) => path.join(home, "agents", agentId, "sessions"), cwd: () => home, agents: async () => ["main"] },
    onDamage: (damage) => reportDamage(damage),
    ...common,
  });
  const platform = options.platform;
  const access: FileAccessOptions = {
    home,
    userHome: path.join(home, "user"),
    roots: (run) => [{ type: "media", path: inboundMediaFolder(home, run.sessionId) }],
    provenance: createFileProvenance({
      store,
      places: () => ({ agents: config.agents, skillFolders: [] }),
    }),
  };
  const keeper = new CheckpointKeeper({
    store,
    folder: path.join(home, "state", "checkpoints"),
    isEnabled: () => gateway.engine.parts.running.config.tools.checkpoints,
    now: () => common.clock.now(),
    ...withoutUndefined({ limits: options.checkpointLimits }),
  });
  const editors = new EditorLinks(common);
  if (options.openEditorTools !== undefined) editors.openToolsWith(options.openEditorTools);
  const files = createFileAccess({ ...access, checkpoints: keeper, editor: editors });
  const secrets = new Set<string>();
  const settings = (next: FactotumConfig): GatewaySettings => ({
    config: next,
    accounts: () => [...(platform === undefined ? [] : [platform.account(options.accountConfig)]), ...(options.accounts ?? [])],
    toolSources: ({ messenger, planBoard, questioner, reporter, restarter, media, sampler, background, jobs, sessions, subagents }) => [
      {
        id: "core",
        tools: [
          ...createCoreTools({
            files,
            runner: completeRunner(options.runner ?? noCommands),
            messenger,
            planBoard,
            questioner,
            reporter,
            restarter,
            jobs,
            sessions,
            subagents,
            settings: options.settingsService ?? NO_SETTINGS,
            background,
            clock: common.clock,
            web: options.web ?? NO_WEB,
            readPdf: async () => ({ type: "failed", reason: "damaged" }),
            execTimeoutSeconds: next.tools.exec.timeoutSeconds,
            execSearchPath: "/usr/bin:/bin",
            execAvoidsShell: next.tools.exec.mode === "allowlist",
          }).filter(
            ({ name }) =>
              (name !== "cron" || options.cronTool === true) &&
              (options.subagents === true || !SUBAGENT_TOOLS.includes(name)) &&
              (name !== "gateway" || options.settingsService !== undefined) &&
              (options.sessionTools === true || !/^(?:sessions_(?!spawn|yield)|agents_list)/.test(name)),
          ),
          ...(options.mediaTools
            ? createMediaTools({
                media,
                files,
                web: options.web ?? NO_WEB,
                makesImages: next.models.imageGeneration !== undefined,
                speaks: next.messages.tts.provider !== undefined,
              })
            : []),
        ],
      },
      ...(typeof options.toolSources === "function" ? options.toolSources({ questioner, sampler }) : (options.toolSources ?? [])),
    ],
    skills: fakeSkills(undefined, options.skills),
    skillFolders: [],
    token: "test-token",
  });
  const gateway = await startGateway({
    ...settings(config),
    ...withoutUndefined({ skillUse: options.skillUse, hookSources: options.hookSources, pluginRoutes: options.pluginRoutes }),
    version: "0.0.0-test",
    home,
    configControl: {
      report: () => ({
        path: loaded.path,
        runningHash: loaded.runningHash,
        problems: [],
        needsRestart: [],
        inactive: [],
        commandPolicy: [],
      }),
      reload: async () => ({ type: "unchanged", changed: [], needsRestart: [], problems: [] }),
      onChange: () => ({ [Symbol.dispose]: () => undefined }),
    },
    services: {
      ...NO_SERVICES,
      setup: { ...NO_SERVICES.setup, ...options.setupControl },
      channels: options.channelService ?? NO_SERVICES.channels,
    },
    ownerControl: options.ownerControl ?? NO_OWNERS,
    store: options.around?.(store) ?? store,
    damage: store.damage,
    ...withoutUndefined({ reserve: options.reserve }),
    memory: NO_MEMORY,
    checkpoints: { keeper, restoring: createFileAccess(access) },
    localFiles: localFiles(files),
    editors,
    hostCommands: completeRunner(options.hostCommands ?? noCommands),
    commandSearchPath: "/usr/bin:/bin",
    remoteFiles: options.remoteFiles ?? {
      fetch: async () => ({ type: "refused", reason: "unavailable", message: "there is no web in this test" }),
    },
    commands: [],
    drainMs: options.drainMs ?? 0,
    documentation: {},
    environment,
    fetch: options.fetch ?? httpFetch,
    onRestartRequest: options.onRestartRequest ?? (async () => undefined),
    onShutdownRequest: options.onShutdownRequest ?? (() => undefined),
    onSecret: (value) => void secrets.add(value),
    ...withoutUndefined({ crashPoint: options.crashPoint, externalAgents: options.externalAgents }),
    hideSecrets: (text) => [...secrets].reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text),
    ...common,
  });
  if (options.asks !== true) decideApprovals(gateway, options.decides ?? (() => "deny"));
  reportDamage = (damage) => gateway.engine.reports.damage(damage);
  for (const damage of found) reportDamage(damage);
  const stop = async (): Promise<void> => {
    await gateway.stop("the test is over");
    await store.close();
  };
  return {
    gateway,
    store,
    home,
    token: "test-token",
    logger,
    settings,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Decides on every tool call that waits. */
function decideApprovals({ engine: { parts } }: Gateway, decision: () => ApprovalDecision): void {
  const decide = async (): Promise<void> => {
    for (const { id } of await parts.approvals.waiting()) await parts.approvals.decide(id, decision());
  };
  // Another decision, or the end of the gateway, may be faster.
  parts.approvals.onWaitingChange(() => void decide().catch(() => undefined));
}
/** Offered only where a test asks for them. */
const SUBAGENT_TOOLS: readonly string[] = ["sessions_spawn", "sessions_yield", "subagents"];

const NO_WEB: WebAccess = {
  request: async () => ({ type: "refused", reason: "unavailable", message: "there is no web in this test" }),
  pages: {
    readPage: async () => ({ type: "failed", message: "there is no web in this test" }),
    readDuckDuckGo: async () => ({ type: "unknown" }),
  },
  clock: { monotonic: () => performance.now() },
  fetch: { maxBytes: 10_000, allowPrivate: [] },
  search: { provider: "duckduckgo", readKey: async () => ({ type: "unresolved", message: "there is no web in this test" }) },
};

/** Reads files as the product does: through the access that the tools have. */
function localFiles(files: FileAccess): LocalFiles {
  return {
    read: async (name, { run, maxBytes, isInWorkspace = false }) => {
      try {
        await using file = await (await files.forRun(run)).openFile(name);
        const isInside = file.path.startsWith(`${await realpath(run.workspace)}/`);
        if (isInWorkspace && !isInside) return { type: "refused", reason: "not-allowed", shown: name };
        if (file.sizeBytes > maxBytes) return { type: "refused", reason: "too-large", shown: file.shown };
        return { type: "file", bytes: await file.handle.readFile(), shown: file.shown, untrusted: file.untrusted };
      } catch (error) {
        if (!(error instanceof FileAccessError)) throw error;
        return { type: "refused", reason: error.code === "not-found" ? "not-found" : "not-allowed", shown: name };
      }
    },
  };
}
