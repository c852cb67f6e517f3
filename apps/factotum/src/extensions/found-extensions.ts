import type { PackageServers } from "@factotum/config";
import type { IdForms } from "./id-forms.ts";
import type { ExtensionManifest } from "./manifest.ts";
import type { ProvidedCommands, ProvidedHooks, ProvidedModels, ProvidedRoutes, ProvidedTool } from "./provided-types.ts";

/** A channel of an installed package. */
export interface InstalledChannel {
  readonly id: string;
  readonly packageName: string;
  readonly version: string;
  /** Absolute. */
  readonly entry: string;
  /** Absolute. */
  readonly configSchema: string;
  readonly about?: string | undefined;
  readonly ids?: IdForms | undefined;
}

/** A folder of skills of an installed package. */
export interface InstalledSkills {
  readonly packageName: string;
  /** Absolute. */
  readonly folder: string;
}

/** A plugin of an installed package: its tools, its handlers of hooks, its models, its commands and its routes. */
export interface FoundPlugin {
  readonly id: string;
  readonly packageName: string;
  readonly version: string;
  /** Of the package; absolute. */
  readonly folder: string;
  /** Absolute. */
  readonly entry: string;
  /** Absolute. */
  readonly configSchema?: string | undefined;
  readonly tools: readonly ProvidedTool[];
  readonly hooks: ProvidedHooks["hooks"];
  readonly models: ProvidedModels["models"];
  readonly commands: ProvidedCommands["commands"];
  readonly routes: ProvidedRoutes["routes"];
  /** It is a memory. */
  readonly isMemory: boolean;
  /** Those of the whole package. */
  readonly permissions: readonly string[];
}

/** Why a listed package, or one of its channels, is not used. */
export interface ExtensionProblem {
  readonly packageName: string;
  /** One line: what is wrong and what to do. */
  readonly message: string;
  /** The channels that are missing for this reason. */
  readonly channelIds: readonly string[];
}

/** An extension package that is listed. */
export interface ListedExtension {
  readonly name: string;
  /** `installed`: managed by `factotum plugins`. `deployment`: listed in the package.json of the project that the command is installed in. */
  readonly source: "installed" | "deployment";
  readonly folder: string;
  readonly manifest?: ExtensionManifest;
}

/** What `factotum build` has written. */
export interface DeploymentBuild {
  /** The channels that it contains. */
  readonly channels: readonly string[];
  /** Channels that could have been chosen. */
  readonly others: readonly string[];
}

/** All extensions beyond the built-in ones. */
export interface FoundExtensions {
  readonly channels: readonly InstalledChannel[];
  readonly skills: readonly InstalledSkills[];
  /** Folders of slash commands, absolute; a name belongs to the first that has it. */
  readonly commandFolders: readonly string[];
  readonly plugins: readonly FoundPlugin[];
  /** MCP servers and language servers; each name once. */
  readonly servers: PackageServers;
  readonly problems: readonly ExtensionProblem[];
  readonly packages: readonly ListedExtension[];
  /** Set if the command runs in a folder that `factotum build` has written. */
  readonly build?: DeploymentBuild;
}
