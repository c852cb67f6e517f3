import { isPlainObject, type Document } from "./plain-object.ts";

/** Two spellings of one setting are both present. */
export interface OldFormConflict {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Renames the spellings of older products: `agent` to `agents.defaults`, `workspaceDir` to `workspace`, `dm` to `direct`. Nothing else changes; the schema
 * refuses values that are not objects.
 */
export function readOldForms(document: Document): { readonly document: Document; readonly conflicts: readonly OldFormConflict[] } {
  const conflicts: OldFormConflict[] = [];
  const rename = (node: Document, path: OldFormConflict["path"], from: string, to: string): Document => {
    if (!Object.hasOwn(node, from)) return node;
    const { [from]: value, ...others } = node;
    if (Object.hasOwn(others, to)) {
      conflicts.push({ path: [...path, from], message: `"${from}" is the old name of "${to}", and both are set; remove "${from}"` });
      return others;
    }
    return { ...others, [to]: value };
  };
  let result = readAgent(document, conflicts);
  result = mapAt(result, ["agents", "defaults"], (node) => rename(node, ["agents", "defaults"], "workspaceDir", "workspace"));
  result = mapList(result, ["agents", "list"], (node, index) => rename(node, ["agents", "list", index], "workspaceDir", "workspace"));
  result = mapAt(result, ["session", "resetByType"], (node) => rename(node, ["session", "resetByType"], "dm", "direct"));
  result = mapList(result, ["bindings"], (node) => mapAt(node, ["match", "peer"], directKind));
  return { document: mapChannels(result, rename), conflicts };
}

function readAgent(document: Document, conflicts: OldFormConflict[]): Document {
  const { agent, ...others } = document;
  if (!isPlainObject(agent)) return document;
  const agents = isPlainObject(others["agents"]) ? others["agents"] : {};
  const defaults = isPlainObject(agents["defaults"]) ? agents["defaults"] : {};
  for (const key of Object.keys(agent).filter((name) => Object.hasOwn(defaults, name))) {
    conflicts.push({ path: ["agent", key], message: `"agent" is the old name of "agents.defaults", and both set "${key}"; remove one` });
  }
  return { ...others, agents: { ...agents, defaults: { ...agent, ...defaults } } };
}

function directKind(peer: Document): Document {
  return peer["kind"] === "dm" ? { ...peer, kind: "direct" } : peer;
}

type Rename = (node: Document, path: OldFormConflict["path"], from: string, to: string) => Document;

function mapChannels(document: Document, rename: Rename): Document {
  const limits = (node: Document, path: OldFormConflict["path"]): Document =>
    mapAt(node, ["historyLimit"], (limit) => rename(limit, [...path, "historyLimit"], "dm", "direct"));
  return mapAt(document, ["channels"], (channels) =>
    mapValues(channels, (channel, id) =>
      mapAt(limits(channel, ["channels", id]), ["accounts"], (accounts) =>
        mapValues(accounts, (account, accountId) => limits(account, ["channels", id, "accounts", accountId])),
      ),
    ),
  );
}

function mapAt(node: Document, [key, ...rest]: readonly string[], change: (node: Document) => Document): Document {
  if (key === undefined) return change(node);
  const child = node[key];
  return isPlainObject(child) ? { ...node, [key]: mapAt(child, rest, change) } : node;
}

function mapValues(node: Document, change: (node: Document, key: string) => Document): Document {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, isPlainObject(value) ? change(value, key) : value]));
}

function mapList(node: Document, path: readonly string[], change: (node: Document, index: number) => Document): Document {
  const key = path.at(-1) ?? "";
  return mapAt(node, path.slice(0, -1), (parent) => {
    const list = parent[key];
    if (!Array.isArray(list)) return parent;
    return { ...parent, [key]: (list as unknown[]).map((entry, index) => (isPlainObject(entry) ? change(entry, index) : entry)) };
  });
}
