/**
 * The arrows of the architecture: which workspace packages a package may import. Oxlint's configuration and the layer test read
 * this table. A name that is not in it may import nothing; a new arrow is a design decision (`docs/decisions/`).
 */

const CONTRACTS = ["agent-contract", "channel-contract"];
const ENGINE = ["protocol", "agent-core", "channel-kit", "models", "tools", "sandbox", "skills", "store", "config"];

/** Allowed imports by folder name under `packages/` and `apps/`. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  // L0
  "agent-contract": [],
  "channel-contract": [],
  protocol: [],
  // L1
  "agent-core": ["agent-contract"],
  "channel-kit": ["channel-contract"],
  "channel-conformance": ["channel-contract"],
  // L2
  models: ["agent-contract"],
  tools: ["agent-contract"],
  sandbox: ["agent-contract"],
  skills: ["agent-contract"],
  store: CONTRACTS,
  config: CONTRACTS,
  // L3
  gateway: [...CONTRACTS, ...ENGINE],
  // L4; `factotum` is the composition root, the only place that names concrete extensions
  factotum: [...CONTRACTS, ...ENGINE, "gateway", "feishu", "webchat"],
  web: ["protocol"],
  bench: [],
  // beside the layers, for tests only
  "testing-providers": [],
  "testing-channels": [],
};

/** What every extension may import, and what single ones may import on top of it. */
const EXTENSION_ARROWS = ["channel-contract", "channel-kit"];
const EXTRA_EXTENSION_ARROWS: Readonly<Record<string, readonly string[]>> = { webchat: ["protocol"] };

/** The workspace packages that the sources of `folder` (`packages/store`, `extensions/feishu`, …) may import. */
export function arrowsOf(folder: string): readonly string[] {
  const [group, name = ""] = folder.split("/");
  if (group === "extensions") return [...EXTENSION_ARROWS, ...(EXTRA_EXTENSION_ARROWS[name] ?? [])];
  return ARROWS[name] ?? [];
}

/** The workspace packages that the tests of `folder` may import beyond those of its sources. */
export function testArrowsOf(folder: string): readonly string[] {
  const [group, name] = folder.split("/");
  if (group === "extensions") return ["channel-conformance", "testing-channels"];
  if (name?.startsWith("testing-") === true) return [];
  return ["testing-providers", "testing-channels"];
}
