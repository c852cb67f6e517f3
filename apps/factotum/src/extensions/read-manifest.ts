import { join } from "node:path";
import { readBundle } from "./bundle.ts";
import { parseManifest, type ManifestReading } from "./manifest.ts";
import { readServerFile } from "./package-servers.ts";
import { readText } from "./project-folders.ts";
import type { Provided } from "./provided-types.ts";

/** Reads the manifest of a package, or of a bundle of another product, with the servers that it names, without running code of it. `missing`: there is no package.json. */
export async function readManifest(folder: string): Promise<ManifestReading | { readonly type: "missing" }> {
  const text = await readText(join(folder, "package.json"));
  if (text === undefined) return { type: "missing" };
  const packageJson = parseJson(text);
  const reading = parseManifest(packageJson);
  if (reading.type === "invalid") return reading;
  try {
    if (reading.type === "absent") {
      const bundle = await readBundle(folder, packageJson);
      return bundle === undefined ? reading : { type: "manifest", manifest: bundle, unsupported: [] };
    }
    return { ...reading, manifest: { ...reading.manifest, provides: await withServers(reading.manifest, folder) } };
  } catch (error) {
    return { type: "invalid", problems: [error instanceof Error ? error.message : "it cannot be read"], channelIds: [] };
  }
}

async function withServers(
  { name, provides }: { readonly name: string; readonly provides: readonly Provided[] },
  folder: string,
): Promise<readonly Provided[]> {
  const owner = { folder, id: serverPrefix(name) };
  return Promise.all(
    provides.map(async (one): Promise<Provided> => {
      if (one.type === "mcp") return { ...one, list: await readServerFile("mcp", one.servers, owner) };
      if (one.type === "lsp") return { ...one, list: await readServerFile("lsp", one.servers, owner) };
      return one;
    }),
  );
}

/** What the names of the servers of a package begin with: its name without the scope. */
export function serverPrefix(packageName: string): string {
  return packageName.replace(/^@[^/]*\//, "").replaceAll(/[^\w.-]/g, "-");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
