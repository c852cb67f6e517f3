import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InstalledPlugin, PluginRows } from "../src/index.ts";

/** Folders of plugins, removed when it is disposed. */
export class PluginFolders implements AsyncDisposable {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async create(): Promise<PluginFolders> {
    return new PluginFolders(await realpath(await mkdtemp(join(tmpdir(), "plugins-"))));
  }

  /** Writes a package whose entry is this code. By default it declares the tool `run` and no hooks. */
  async write(id: string, code: string, parts: Partial<InstalledPlugin> = {}): Promise<InstalledPlugin> {
    const folder = join(this.root, "node_modules", id);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: id, version: "1.0.0", type: "module" }));
    await writeFile(join(folder, "index.js"), code);
    return {
      id,
      packageName: id,
      version: "1.0.0",
      folder,
      entry: join(folder, "index.js"),
      tools: [{ name: "run", description: "Runs.", parameters: { type: "object" }, effect: "write" }],
      hooks: [],
      commands: [],
      roles: [],
      routes: [],
      hosts: [],
      secrets: [],
      workspaces: {},
      mayRun: false,
      config: {},
      trusted: false,
      ...parts,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

/** An entry whose tool `run` has this body, with `args`, `call` and `api`. */
export function toolCode(body: string, before = ""): string {
  return `${before}\nexport const plugin = { id: new URL(import.meta.url).pathname.split("/").at(-2), setup(api) { api.tool("run", async (args, call) => { ${body} }); } };`;
}

/** Rows in memory. */
export function memoryRows(): PluginRows {
  const rows = new Map<string, never>();
  return {
    get: async (key) => rows.get(key),
    keys: async (prefix) => [...rows.keys()].filter((key) => key.startsWith(prefix)).toSorted(),
    set: async (key, value) => void rows.set(key, value as never),
    delete: async (key) => void rows.delete(key),
  };
}
