import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { LspServerConfig, McpServerConfig, PackageServer } from "@factotum/config";
import { readProject, type ProjectPackage } from "./extension-project.ts";
import { providedServers, type ProvidedChannel } from "./provided-types.ts";
import { providedPlugins } from "./run-by.ts";
import type { ExtensionManifest } from "./manifest.ts";
import { serverPrefix } from "./read-manifest.ts";
import type {
  DeploymentBuild,
  ExtensionProblem,
  FoundExtensions,
  FoundPlugin,
  InstalledChannel,
  InstalledSkills,
  ListedExtension,
} from "./found-extensions.ts";

/** Collects the packages of several projects: an id belongs to the first that provides it. */
export class ExtensionCollector {
  readonly #channels: InstalledChannel[] = [];
  readonly #skills: InstalledSkills[] = [];
  readonly #commandFolders: string[] = [];
  readonly #plugins: FoundPlugin[] = [];
  readonly #mcp: PackageServer<McpServerConfig>[] = [];
  readonly #lsp: PackageServer<LspServerConfig>[] = [];
  readonly #problems: ExtensionProblem[] = [];
  readonly #packages: ListedExtension[] = [];
  #build: DeploymentBuild | undefined;
  /** Who provides an id, for messages. */
  readonly #owners: Map<string, string>;

  constructor(builtIn: ReadonlyMap<string, string>) {
    this.#owners = new Map([...builtIn].map(([id, name]) => [id, `the built-in ${name}`]));
  }

  async add(folder: string, source: ListedExtension["source"]): Promise<void> {
    const project = await readProject(folder);
    if (project.problem !== undefined) this.#problems.push({ packageName: folder, message: project.problem, channelIds: [] });
    this.#build ??= project.build;
    for (const one of project.packages) this.#addPackage(one, source);
  }

  result(): FoundExtensions {
    return {
      channels: this.#channels,
      skills: this.#skills,
      commandFolders: this.#commandFolders,
      plugins: this.#plugins,
      servers: { mcp: this.#mcp, lsp: this.#lsp },
      problems: this.#problems,
      packages: this.#packages,
      ...withoutUndefined({ build: this.#build }),
    };
  }

  #addPackage({ name, folder, reading }: ProjectPackage, source: ListedExtension["source"]): void {
    const report = (message: string, channelIds: readonly string[] = []): void => {
      this.#problems.push({ packageName: name, message: `the extension ${name} is not used: ${message}`, channelIds });
    };
    this.#packages.push({ name, source, folder, ...(reading.type === "manifest" ? { manifest: reading.manifest } : {}) });
    switch (reading.type) {
      case "missing":
        return report(
          source === "installed"
            ? `its package is not there; remove it and install it again: factotum plugins remove ${name}`
            : "it is listed in package.json and not installed; run npm install in the folder of the deployment",
        );
      case "absent":
        return report("its package.json has no field factotum, so it is no extension");
      case "invalid":
        return report(
          [
            ...reading.problems,
            ...(source === "installed" ? [`another version is installed with: factotum plugins update ${name}`] : []),
          ].join("; "),
          reading.channelIds,
        );
      case "manifest":
        for (const line of reading.unsupported) this.#problems.push({ packageName: name, message: `${name}: ${line}`, channelIds: [] });
        for (const one of reading.manifest.provides) {
          switch (one.type) {
            case "skills":
              this.#skills.push({ packageName: name, folder: join(folder, one.path) });
              break;
            case "prompts":
              this.#commandFolders.push(join(folder, one.path));
              break;
            case "channel":
              this.#addChannel(one, { name, folder, version: reading.manifest.version, report });
              break;
            case "tools":
            case "hooks":
            case "models":
            case "memory":
            case "commands":
            case "routes":
            case "mcp":
            case "lsp":
            // Below: the parts of a plugin belong together, and so do the servers of a package.
          }
        }
        this.#addPlugins(reading.manifest, { folder, report });
        addServers(this.#mcp, { name, list: providedServers(reading.manifest.provides, "mcp"), report });
        addServers(this.#lsp, { name, list: providedServers(reading.manifest.provides, "lsp"), report });
    }
  }

  #addChannel(
    { id, about, entry, configSchema, ids }: ProvidedChannel,
    { name, folder, version, report }: { name: string; folder: string; version: string; report: (message: string) => void },
  ): void {
    const owner = this.#owners.get(id);
    if (owner !== undefined) {
      report(`its channel "${id}" has the id of the channel of ${owner}, which is used; remove one of them`);
      return;
    }
    this.#owners.set(id, name);
    this.#channels.push({
      id,
      packageName: name,
      version,
      entry: join(folder, entry),
      configSchema: join(folder, configSchema),
      about,
      ids,
    });
  }

  /** Entries with the same id are one plugin. */
  #addPlugins(
    { name, version, provides, permissions }: ExtensionManifest,
    { folder, report }: { readonly folder: string; readonly report: (message: string) => void },
  ): void {
    const parts = providedPlugins(provides);
    for (const id of new Set(parts.map((part) => part.id))) {
      const own = parts.filter((part) => part.id === id);
      const [{ entry, configSchema } = { entry: "" }] = own;
      const owner = this.#plugins.find((other) => other.id === id)?.packageName;
      if (owner !== undefined) report(`its plugin "${id}" has the id of the plugin of ${owner}, which is used; remove one of them`);
      else
        this.#plugins.push({
          id,
          packageName: name,
          version,
          folder,
          entry: join(folder, entry),
          ...withoutUndefined({ configSchema: configSchema === undefined ? undefined : join(folder, configSchema) }),
          tools: own.flatMap((part) => (part.type === "tools" ? part.tools : [])),
          hooks: own.flatMap((part) => (part.type === "hooks" ? part.hooks : [])),
          commands: own.flatMap((part) => (part.type === "commands" ? part.commands : [])),
          isMemory: own.some((part) => part.type === "memory"),
          models: own.flatMap((part) => (part.type === "models" ? part.models : [])),
          routes: own.flatMap((part) => (part.type === "routes" ? part.routes : [])),
          permissions,
        });
    }
  }
}

/** A name belongs to the first package that has it. */
function addServers<Settings>(
  known: PackageServer<Settings>[],
  {
    name: packageName,
    list,
    report,
  }: {
    readonly name: string;
    readonly list: readonly { readonly name: string; readonly settings: Settings }[];
    readonly report: (message: string) => void;
  },
): void {
  for (const { name, settings } of list) {
    const owner = known.find((other) => other.name === name)?.packageName;
    if (owner !== undefined) report(`its server "${name}" has the name of a server of ${owner}, which is used; remove one of them`);
    else known.push({ name, packageName, ids: [name, serverPrefix(packageName)], settings });
  }
}
