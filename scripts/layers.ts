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
  },
  // L2: what touches the world; what one needs of another is a port in agent-contract
  {
    models: ["agent-contract"],
    tools: ["agent-contract"],
    sandbox: ["agent-contract"],
    skills: ["agent-contract"],
    store: CONTRACTS,
    config: CONTRACTS,
    ...Object.fromEntries(EXTENSIONS.map((name) => [name, ["channel-contract", "channel-kit"]])),
    webchat: ["channel-contract", "channel-kit", "protocol"],
  },
  // L3: the gateway wires them
  {
    gateway: [...CONTRACTS, ...ENGINE],
  },
  // L4: programs; `factotum` is the composition root, the only place that names concrete extensions
  {
    factotum: [...CONTRACTS, ...ENGINE, "gateway", ...EXTENSIONS],
    web: ["protocol"],
    bench: ["testing-providers", "testing-product"],
    chaos: ["testing-providers", "testing-channels", "testing-product", "testing-chaos"],
  },
];

/** Programs for developers: they may import what tests use. */
export const DEVELOPER_PROGRAMS: readonly string[] = ["bench", "chaos"];

/** Packages beside the layers, for tests only. They import nothing of the workspace. */
export const TESTING: readonly string[] = ["testing-providers", "testing-channels", "testing-product", "testing-chaos"];

/** The layer of a package by folder name; `undefined` for one beside the layers or one that nobody has placed. */
export function layerOf(name: string): number | undefined {
  const layer = LAYERS.findIndex((packages) => name in packages);
  return layer === -1 ? undefined : layer;
}

/** The workspace packages that the sources of `folder` (`packages/store`, `extensions/feishu`, …) may import. */
export function arrowsOf(folder: string): readonly string[] {
  const name = folder.split("/")[1] ?? "";
  return LAYERS[layerOf(name) ?? -1]?.[name] ?? [];
}

/** The workspace packages that the tests of `folder` may import beyond those of its sources. */
export function testArrowsOf(folder: string): readonly string[] {
  const [group, name = ""] = folder.split("/");
  if (group === "extensions") return ["channel-conformance", "testing-channels"];
  return TESTING.includes(name) ? [] : TESTING;
}

/**
 * The folders of a package's sources, lowest first: a module imports only from its own folder and from those before it, types included. Modules outside
 * the folders may import all of them. A package that is not named has no order inside.
 */
export const FOLDER_LAYERS: Readonly<Record<string, readonly string[]>> = {
  "packages/gateway": [
    // Ids, keys, errors, conditions; what a run's kind decides
    "kernel",
    "run-policy",
    // Who and where
    "channels",
    "access",
    "routing",
    // What every part stands on
    "storage",
    "spend",
    "workspace",
    "observe",
    "agents",
    "media",
    // Work that waits, and what clients are told of
    "events",
    "queue",
    // Kept requests, the history of a request, text of others
    "context",
    "taint",
    "requests",
    // What leaves
    "delivery",
    // Summaries of older turns
    "summaries",
    // The session that a turn belongs to, and what the gateway itself says there
    "conversation",
    "notices",
    // What a model is given
    "prompt",
    "messages",
    "compaction",
    // A turn, sessions, and what people ask of them
    "turn",
    "sessions",
    "maintenance",
    "commands",
    "ingress",
    // The parts put together, and the ways in
    "engine",
    "rpc",
    "http",
    "status",
  ],
  "apps/factotum": ["runtime", "first-run", "compose", "setup", "rpc", "service", "doctor", "backup", "commands", "cli"],
};
