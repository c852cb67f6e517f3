import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** What differs from the sample. */
export interface PluginPackage {
  readonly id?: string;
  readonly version?: string;
  readonly entry?: string;
  readonly permissions?: readonly string[];
  /** Entries of `provides`; by default the tool `count`, which keeps state. */
  readonly provides?: readonly object[];
  readonly files?: Readonly<Record<string, string>>;
}

/** A tool that counts, over restarts. */
export const COUNTER_ENTRY = `export const plugin = {
  id: "counter",
  setup(api) {
    api.tool("count", async ({ by = 1 }) => {
      const total = ((await api.state.get("total")) ?? 0) + by;
      await api.state.set("total", total);
      return \`\${api.config.word ?? "total"} \${total}\`;
    });
  },
};
`;

const COUNT = {
  name: "count",
  description: "Counts on.",
  parameters: { type: "object", properties: { by: { type: "number" } }, additionalProperties: false },
  effect: "write",
};

/** Writes the package of a plugin into a folder, and packs it there. Resolves with the path of the tarball. */
export async function packPlugin(folder: string, { id = "counter", version = "1.0.0", ...parts }: PluginPackage = {}): Promise<string> {
  const source = join(folder, `${id}-${version}`);
  await mkdir(source, { recursive: true });
  const part = { id, entry: "./index.mjs" };
  const manifest = {
    name: id,
    version,
    type: "module",
    factotum: {
      api: 1,
      provides: (parts.provides ?? [{ type: "tools", configSchema: "./config.json", tools: [COUNT] }]).map((one) => ({ ...part, ...one })),
      permissions: parts.permissions ?? [],
    },
  };
  const schema = { type: "object", properties: { word: { type: "string" } }, additionalProperties: false };
  const files = { "index.mjs": parts.entry ?? COUNTER_ENTRY, "config.json": JSON.stringify(schema), ...parts.files };
  await writeFile(join(source, "package.json"), JSON.stringify(manifest));
  for (const [name, content] of Object.entries(files)) await writeFile(join(source, name), content);
  await promisify(execFile)("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: source });
  return join(folder, `${id}-${version}.tgz`);
}
