import * as z from "zod";
import { isPackageName } from "./package-name.ts";
import { PROVIDED_TYPES, type Provided } from "./provided-types.ts";
import { providedPlugins } from "./run-by.ts";

/** The versions of the extension contract that this build supports. */
const SUPPORTED_API = { min: 1, max: 1 } as const;

/** What a package says about itself in the field `factotum` of its package.json. */
export interface ExtensionManifest {
  /** Name of the package. */
  readonly name: string;
  readonly version: string;
  /** Version of the extension contract that it was built for. */
  readonly api: number;
  readonly provides: readonly Provided[];
  /** What it needs, shown and confirmed at install; not enforced for packages in the gateway's process. */
  readonly permissions: readonly string[];
  /** Parts of a bundle of another product that are not used, in a few words each. */
  readonly unused?: readonly string[];
}

/** A manifest, or what is wrong with it: one line for each problem, in terms of the file's keys. `unsupported`: the rest of the manifest can be used. */
export type ManifestReading =
  | { readonly type: "manifest"; readonly manifest: ExtensionManifest; readonly unsupported: readonly string[] }
  /** `provides`: the ids of the channels as far as they can be read, for messages. */
  | { readonly type: "invalid"; readonly problems: readonly string[]; readonly channelIds: readonly string[] }
  /** The package has no field `factotum`. */
  | { readonly type: "absent" };

const PERMISSION = /^(?:network:[\w.*-]+(?::\d{1,5})?|fs:workspace|exec|secrets:[A-Za-z_][A-Za-z0-9_]*)$/;

const ManifestSchema = z.object({
  api: z.int("a whole number is expected, the version of the extension contract"),
  provides: z
    .array(z.looseObject({ type: z.string("a text is expected") }, "an object is expected"), "a list is expected")
    .min(1, "the list is empty"),
  permissions: z
    .array(
      z.string("a text is expected").regex(PERMISSION, 'one of "network:<host>", "fs:workspace", "exec" and "secrets:<NAME>" is expected'),
      "a list is expected",
    )
    .default([]),
});

const PackageSchema = z.object({
  name: z.string().refine(isPackageName),
  version: z.string().regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/),
});

/** Parses the manifest of a package.json, without running code of the package. Never throws. */
export function parseManifest(packageJson: unknown): ManifestReading {
  const field = fieldOf(packageJson);
  if (field === undefined) return { type: "absent" };
  const ids = channelIdsOf(field);
  const invalid = (problems: readonly string[]): ManifestReading => ({ type: "invalid", problems, channelIds: ids });
  const identity = PackageSchema.safeParse(packageJson);
  if (!identity.success) return invalid(["package.json: a valid name and a version such as 1.0.0 are needed"]);
  const api = z.object({ api: z.number() }).safeParse(field);
  // Other versions may have another form: nothing else is worth reporting.
  if (api.success && outsideRange(api.data.api)) return invalid([apiProblem(api.data.api)]);
  const parsed = ManifestSchema.safeParse(field);
  if (!parsed.success) return invalid(describe(parsed.error.issues, "factotum"));
  const provides: Provided[] = [];
  const problems: string[] = [];
  const unsupported: string[] = [];
  for (const [index, entry] of parsed.data.provides.entries()) {
    const place = `factotum.provides[${index}]`;
    const schema = Object.hasOwn(PROVIDED_TYPES, entry.type) ? PROVIDED_TYPES[entry.type as keyof typeof PROVIDED_TYPES] : undefined;
    if (schema === undefined) {
      unsupported.push(
        `${place}: this version has no extensions of the type ${typeName(entry.type)}; it has: ${Object.keys(PROVIDED_TYPES).join(", ")}`,
      );
      continue;
    }
    const provided = schema.safeParse(entry);
    if (provided.success) provides.push(provided.data);
    else problems.push(...describe(provided.error.issues, place));
  }
  problems.push(...differingParts(provides));
  if (problems.length > 0) return invalid(problems);
  if (provides.length === 0) return invalid(unsupported);
  const { permissions } = parsed.data;
  return { type: "manifest", manifest: { ...identity.data, api: parsed.data.api, provides, permissions }, unsupported };
}

/** Entries of one plugin are one program with one set of settings, and each type is listed once. */
function differingParts(provides: readonly Provided[]): readonly string[] {
  const parts = providedPlugins(provides);
  return parts.flatMap((part, index) => {
    const first = parts.find(({ id }) => id === part.id);
    const isRepeated = parts.findIndex(({ id, type }) => id === part.id && type === part.type) !== index;
    if (isRepeated) return [`factotum.provides: the plugin ${part.id} has two entries of the type ${part.type}`];
    const isSame = first?.entry === part.entry && first.configSchema === part.configSchema;
    return isSame ? [] : [`factotum.provides: the entries of the plugin ${part.id} differ in entry or configSchema`];
  });
}

/** A type in quotes; one that is no plain word may contain control characters, and is not shown. */
function typeName(type: string): string {
  return /^[\w.-]{1,40}$/.test(type) ? `"${type}"` : "that it names";
}

function fieldOf(packageJson: unknown): unknown {
  return typeof packageJson === "object" && packageJson !== null && "factotum" in packageJson ? packageJson.factotum : undefined;
}

const LooseIds = z.object({ provides: z.array(z.unknown()) });
const LooseId = z.object({ type: z.literal("channel"), id: z.string() });

function channelIdsOf(field: unknown): readonly string[] {
  const list = LooseIds.safeParse(field);
  if (!list.success) return [];
  return list.data.provides.flatMap((entry) => LooseId.safeParse(entry).data?.id ?? []);
}

function outsideRange(api: number): boolean {
  return api < SUPPORTED_API.min || api > SUPPORTED_API.max;
}

function apiProblem(api: number): string {
  const { min, max } = SUPPORTED_API;
  const range = String(min) === String(max) ? String(min) : `${min} to ${max}`;
  const advice = api > max ? "update factotum" : "a newer version of the package is needed";
  return `it was built for version ${api} of the extension contract, and this factotum supports ${range}: ${advice}`;
}

function describe(issues: readonly z.core.$ZodIssue[], place: string): string[] {
  return issues.map(({ path, message, code }) => {
    const at = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
    return `${place}${at}: ${code === "invalid_type" && message.startsWith("Invalid input") ? "it is missing or of the wrong type" : message}`;
  });
}
