import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { ExtensionManifest } from "./manifest.ts";
import { isPackageName } from "./package-name.ts";
import { parseServers, readJson, readServerFile } from "./package-servers.ts";
import { readText } from "./project-folders.ts";
import { inside, type Provided } from "./provided-types.ts";

/** Where other products keep the manifest of a plugin: Claude, Codex, Cursor, Agent Plugins. */
const MANIFESTS = [".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json", "plugin.json"];

const Paths = z.union([z.string(), z.array(z.string())]).transform((paths) => [paths].flat());
/** The path of a file, or what it would hold. */
const Held = z.union([z.string(), z.record(z.string(), z.json())]);

const BundleSchema = z.object({
  name: z
    .string("a text is expected")
    .regex(/^[a-z0-9]+(?:[-._][a-z0-9]+)*$/, "lower-case letters, digits and - are expected")
    .max(40, "at most 40 characters are allowed"),
  version: z.string().optional(),
  skills: Paths.optional(),
  commands: Paths.optional(),
  mcpServers: Held.optional(),
  lspServers: Held.optional(),
  hooks: z.union([Held, z.array(z.json())]).optional(),
});

/** Folders of bundles for which this product has no use, in the words of lists. */
const UNUSED = { agents: "agents", "output-styles": "output styles", themes: "themes", monitors: "monitors" } as const;

/** A bundle: what its own manifest says of it. */
export interface BundleIdentity {
  readonly name: string;
  readonly version: string;
}

/** The name and version of a bundle of another product; `undefined` for a folder that is none. Rejects with an `Error` for a broken manifest. */
export async function readBundleIdentity(folder: string): Promise<BundleIdentity | undefined> {
  const found = await findManifest(folder);
  if (found === undefined) return undefined;
  const { name, version = "" } = found.manifest;
  return { name, version: /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(version) ? version : "0.0.0" };
}

/**
 * Reads a bundle as the manifest of one plugin, without running code of it: skills, commands, MCP servers and language servers. Hooks and other parts are
 * listed as not used. `undefined` for a package that is none. Rejects with an `Error` that says what is wrong: broken JSON, a path outside of the bundle.
 */
export async function readBundle(folder: string, packageJson: unknown): Promise<ExtensionManifest | undefined> {
  const found = await findManifest(folder);
  const identity = await readBundleIdentity(folder);
  if (found === undefined || identity === undefined) return undefined;
  const own = z.object({ name: z.string().refine(isPackageName), version: z.string() }).safeParse(packageJson).data;
  const provides = [...(await foldersOf(folder, found.manifest)), ...(await serversOf(folder, found.manifest))];
  const unused = [...(await hooksOf(folder, found.manifest)), ...(await unusedOf(folder))];
  if (provides.length === 0) throw new Error("it has neither skills nor commands nor servers");
  return { name: own?.name ?? identity.name, version: own?.version ?? identity.version, api: 1, provides, permissions: [], unused };
}

async function findManifest(folder: string): Promise<{ readonly manifest: z.infer<typeof BundleSchema> } | undefined> {
  for (const path of MANIFESTS) {
    if ((await readText(join(folder, path))) === undefined) continue;
    const parsed = BundleSchema.safeParse(await readJson(join(folder, path), path));
    const [issue] = parsed.error?.issues ?? [];
    if (parsed.data === undefined) throw new Error(`${path}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it is not valid"}`);
    return { manifest: parsed.data };
  }
  return undefined;
}

type BundleManifest = z.infer<typeof BundleSchema>;

/** Folders in their usual place, and those that the manifest names. */
async function foldersOf(folder: string, manifest: BundleManifest): Promise<readonly Provided[]> {
  const parts: Provided[] = [];
  for (const [type, key] of [
    ["skills", "skills"],
    ["prompts", "commands"],
  ] as const) {
    const named = (manifest[key] ?? []).map((path) => pathOf(path, key));
    const usual = `./${key}`;
    const all = new Set([...((await exists(folder, usual)) ? [usual] : []), ...named]);
    for (const path of all) {
      if (!(await exists(folder, path))) throw new Error(`it has no folder ${path}, which its manifest names`);
      parts.push({ type, path });
    }
  }
  return parts;
}

async function serversOf(folder: string, { name, mcpServers, lspServers }: BundleManifest): Promise<readonly Provided[]> {
  const owner = { folder, id: name };
  const parts: Provided[] = [];
  for (const [type, usual, named] of [
    ["mcp", "./.mcp.json", mcpServers],
    ["lsp", "./.lsp.json", lspServers],
  ] as const) {
    const files = new Set([
      ...((await readText(join(folder, usual))) === undefined ? [] : [usual]),
      ...(typeof named === "string" ? [pathOf(named, `${type}Servers`)] : []),
    ]);
    for (const servers of files) parts.push({ type, servers, list: await readServerFile(type, servers, owner) } as Provided);
    if (typeof named === "object")
      parts.push({ type, servers: "", list: parseServers(type, named, { ...owner, file: "its manifest" }) } as Provided);
  }
  return parts;
}

/** Hooks by the events that they are for. They are never run. */
async function hooksOf(folder: string, { hooks }: BundleManifest): Promise<readonly string[]> {
  const usual = "./hooks/hooks.json";
  const path = typeof hooks === "string" ? pathOf(hooks, "hooks") : usual;
  const isThere = typeof hooks === "string" || (await readText(join(folder, usual))) !== undefined;
  if (typeof hooks !== "object" && !isThere) return [];
  const content = typeof hooks === "object" ? hooks : await readJson(join(folder, path), path);
  const { hooks: inner = content } = z.object({ hooks: z.unknown().optional() }).safeParse(content).data ?? {};
  const events = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? Object.keys(inner) : [];
  const named = events.filter((event) => /^\w{1,40}$/.test(event));
  return [named.length === 0 ? "hooks" : `hooks (${named.join(", ")})`];
}

async function unusedOf(folder: string): Promise<readonly string[]> {
  const found = await Promise.all(Object.entries(UNUSED).map(async ([path, words]) => ((await exists(folder, path)) ? [words] : [])));
  return found.flat();
}

/** Paths may lack the `./`, and end in a slash. */
function pathOf(written: string, key: string): string {
  const path = written.startsWith("./") ? written : `./${written}`;
  const parsed = inside.safeParse(path.replace(/\/+$/, ""));
  if (!parsed.success || written.startsWith("/")) throw new Error(`${key}: ${JSON.stringify(written)} is no path inside of the bundle`);
  return parsed.data;
}

async function exists(folder: string, path: string): Promise<boolean> {
  return readdir(join(folder, path)).then(
    () => true,
    () => false,
  );
}
