import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The ways that events of a platform can take: posted by it, polled for, or sent over a connection. */
export const TRANSPORTS = ["webhook", "polling", "connection"] as const;

/** One of the ways. */
export type Transport = (typeof TRANSPORTS)[number];

export function isTransport(name: string): name is Transport {
  return TRANSPORTS.some((transport) => transport === name);
}

/** The texts of a channel's template, by file: those that all channels have, and those of its transport, which are in a sibling folder. */
export function readTemplate(template: string, transport: Transport): ReadonlyMap<string, string> {
  const common = textsIn(template);
  const own = textsIn(`${template}-${transport}`);
  const manifests = [common, own].map((texts) => JSON.parse(texts.get("package.json") ?? "{}") as Manifest);
  const [manifest = {}, more = {}] = manifests;
  const merged = { ...manifest, devDependencies: { ...manifest.devDependencies, ...more.devDependencies } };
  return new Map([...common, ...own, ["package.json", `${JSON.stringify(merged, null, 2)}\n`]]);
}

interface Manifest {
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function textsIn(folder: string): Map<string, string> {
  return new Map(
    filesIn(folder).map((file) => {
      // In the published package the template's package.json has another name.
      const name = file === "manifest.json" && !existsSync(join(folder, "package.json")) ? "package.json" : file;
      return [name, readFileSync(join(folder, file), "utf8")];
    }),
  );
}

function filesIn(folder: string, inside = ""): string[] {
  return readdirSync(join(folder, inside), { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .flatMap((entry) => {
      const path = join(inside, entry.name);
      return entry.isDirectory() ? filesIn(folder, path) : [path];
    });
}
