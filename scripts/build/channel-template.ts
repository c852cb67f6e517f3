import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rolldown } from "tsdown";
import { TRANSPORTS } from "../../packages/create-factotum-channel/src/read-template.ts";
import { ROOT } from "../workspace.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly factotum?: { readonly provides: readonly { readonly type: string; readonly id: string }[] };
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Manifest;

/** The versions of this workspace that a channel outside of it is written with. */
function channelVersions(): Readonly<Record<string, string>> {
  const own = ["channel-contract", "channel-kit", "channel-conformance"].map((name) => manifestOf(`packages/${name}`));
  const { devDependencies = {} } = manifestOf(".");
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "templates/channel/package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const tools = ["@types/node", "tsdown", "typescript", "vitest"].map((name) => [name, devDependencies[name] ?? "*"] as const);
  return Object.fromEntries([...own.map(({ name, version }) => [name, version] as const), ...tools, ...Object.entries(dependencies)]);
}

/** Ids of the channels in this workspace. */
function builtInChannels(): readonly string[] {
  const provided = readdirSync(join(ROOT, "extensions")).flatMap((folder) => manifestOf(`extensions/${folder}`).factotum?.provides ?? []);
  return provided.filter(({ type }) => type === "channel").map(({ id }) => id);
}

/** Copies the template of a channel into the package that writes channels, with the versions and the channels of this workspace. */
export function channelTemplate(): Rolldown.Plugin {
  return {
    name: "factotum:channel-template",
    generateBundle() {
      for (const variant of ["", ...TRANSPORTS.map((transport) => `-${transport}`)]) {
        const template = join(ROOT, `templates/channel${variant}`);
        for (const file of readdirSync(template, { recursive: true, withFileTypes: true })) {
          if (!file.isFile()) continue;
          const path = join(file.parentPath, file.name);
          // A package.json inside a package has a meaning of its own.
          const name = path.slice(template.length + 1).replace(/^package\.json$/, "manifest.json");
          this.emitFile({ type: "asset", fileName: `template${variant}/${name}`, source: readFileSync(path, "utf8") });
        }
      }
      const product = { versions: channelVersions(), builtIn: builtInChannels() };
      this.emitFile({ type: "asset", fileName: "product.json", source: `${JSON.stringify(product, null, 2)}\n` });
    },
  };
}
