/**
 * The arrows of the architecture: which workspace packages a package may import. Oxlint's configuration and the repository's checks
 * read this table. A name that is not in it may import nothing; a new arrow is a design decision (`docs/decisions/`).
 */

import { workspaceFolders } from "./workspace.ts";

const CONTRACTS = ["agent-contract", "channel-contract"];
const ENGINE = ["protocol", "agent-core", "channel-kit", "models", "tools", "sandbox", "skills", "store", "config"];
const EXTENSIONS = workspaceFolders()
  .filter((folder) => folder.startsWith("extensions/"))
  .map((folder) => folder.slice("extensions/".length));

/** The packages of each layer by folder name, lowest layer first, each with the packages that it may import. */
export const LAYERS: readonly Readonly<Record<string, readonly string[]>>[] = [
  // L0: contracts, nouns only
  {
    "agent-contract": [],
    "channel-contract": [],
    protocol: [],
  },
  // L1: pure engine, kits
  {
    "agent-core": ["agent-contract"],
    "channel-kit": ["channel-contract"],
    "channel-conformance": ["channel-contract"],
    plugin: [],
  },
  // L2: access to the outside world; dependencies on each other are ports in agent-contract
  {
    models: ["agent-contract"],
    tools: ["agent-contract"],
    sandbox: ["agent-contract"],
    skills: ["agent-contract"],
    memory: ["agent-contract"],
    schedule: [],
    "plugin-mcp": ["agent-contract"],
    "mcp-server": ["agent-contract"],
    "acp-server": ["agent-contract", "protocol"],
    "acp-client": ["agent-contract"],
    "plugin-lsp": ["agent-contract"],
    "plugin-host": ["agent-contract", "plugin"],
    store: CONTRACTS,
    config: [...CONTRACTS, "plugin"],
    ...Object.fromEntries(EXTENSIONS.map((name) => [name, ["channel-contract", "channel-kit"]])),
    webchat: ["channel-contract", "channel-kit", "protocol"],
    // Plugins, which the product is not built with
    "embeddings-local": ["plugin"],
  },
  // L3: the gateway wires them
  {
    gateway: [...CONTRACTS, ...ENGINE, "plugin", "schedule"],
  },
  // L4: programs; `factotum` is the composition root, the only place that names concrete extensions
  {
    factotum: [
      ...CONTRACTS,
      ...ENGINE,
      "plugin",
      "memory",
      "plugin-mcp",
      "plugin-host",
      "plugin-lsp",
      "mcp-server",
      "acp-server",
      "acp-client",
      "gateway",
      ...EXTENSIONS,
    ],
    web: ["protocol"],
    // Writes packages outside the workspace, and imports none of it.
    "create-factotum-channel": [],
    bench: ["testing-providers", "testing-channels", "testing-product"],
    chaos: ["testing-providers", "testing-channels", "testing-product", "testing-chaos"],
  },
];

/** Programs for developers, which may import test packages. */
export const DEVELOPER_PROGRAMS: readonly string[] = ["bench", "chaos"];

/** Packages outside the layers, for tests only. They import nothing of the workspace. */
export const TESTING: readonly string[] = ["testing-providers", "testing-channels", "testing-product", "testing-chaos"];

/** The layer of a package by folder name; `undefined` for one outside the layers or an unknown one. */
export function layerOf(name: string): number | undefined {
  const layer = LAYERS.findIndex((packages) => name in packages);
  return layer === -1 ? undefined : layer;
}

/** The workspace packages that the sources of `folder` (`packages/store`, `extensions/feishu`, …) may import. */
export function arrowsOf(folder: string): readonly string[] {
  const name = folder.split("/")[1] ?? "";
  return LAYERS[layerOf(name) ?? -1]?.[name] ?? [];
}

/** Workspace packages that the tests of `folder` may import in addition to those of its sources. */
export function testArrowsOf(folder: string): readonly string[] {
  const [group, name = ""] = folder.split("/");
  if (group === "extensions") return ["channel-conformance", "testing-channels"];
  return TESTING.includes(name) ? [] : TESTING;
}

/**
 * The folders of a package's sources, lowest first: a module imports only from its own folder and from earlier ones, types included. Modules outside the
 * folders may import all of them. A package that is not listed has no order inside.
 */
export const FOLDER_LAYERS: Readonly<Record<string, readonly string[]>> = {
  "packages/gateway": [
    // Ids, keys, errors, predicates; the policy of each run kind
    "kernel",
    "run-policy",
    // Channels, routing and agents
    "channels",
    "access",
    "routing",
    // What every part depends on
    "storage",
    "spend",
    "workspace",
    "observe",
    // Handlers of plugins and of the owner's commands
    "hooks",
    "agents",
    "media",
    // Queued work, and events for clients
    "events",
    "queue",
    // What editors do for the runs of their sessions
    "editors",
    // Stored requests, the history of a request, text of others
    "context",
    "taint",
    "requests",
    // Outgoing messages
    "delivery",
    // Requests for media that tools make
    "media-tools",
    // Commands that run on after their turn
    "background-commands",
    // A turn's session, and the gateway's own messages to it
    "conversation",
    "notices",
    // Tasks that sessions hand out
    "subagents",
    // What a model is given
    "prompt",
    // What files held before turns changed them
    "checkpoints",
    "messages",
    "compaction",
    // Turns: from a job's messages to a request, the run of the loop, and from the job to its end
    "preparation",
    "approvals",
    "run",
    "turn",
    // Sessions, and commands
    "sessions",
    "maintenance",
    // Scheduled jobs
    "schedule",
    // The sessions as tools of agents see them, and what agents say to each other
    "agent-sessions",
    // Conversations whose messages go to another session
    "focus",
    // Requests of other systems
    "webhooks",
    "commands",
    "ingress",
    // The parts put together, and the ways in
    "engine",
    "rpc",
    "http",
    "status",
  ],
  "apps/factotum": [
    "runtime",
    "extensions",
    "first-run",
    "compose",
    // The steps with which accounts of channels are set up
    "accounts",
    "setup",
    "rpc",
    "service",
    "doctor",
    "forget",
    // What clients may ask of the product
    "admin",
    "backup",
    "deployment",
    "commands",
    "cli",
  ],
};
