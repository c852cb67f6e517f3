import * as z from "zod";

/** The version of the archive's layout. A program refuses newer ones. */
export const FORMAT = 1;
/** The first entry of an archive, which identifies it. */
export const HEAD_NAME = "factotum-backup.json";
/** The last entry, which lists all others. An archive without it is incomplete. */
export const MANIFEST_NAME = "manifest.json";
/** Prefix of all other names; the rest is the path in the state directory. */
export const HOME_PREFIX = "home/";
/** The database, relative to the state directory. */
export const DATABASE_PATH = "state/factotum.sqlite";

/** Limits for reading an archive. */
export const MAX_HEAD_BYTES: number = 64 * 1024;
export const MAX_MANIFEST_BYTES: number = 256 * 1024 * 1024;
export const MAX_ENTRIES = 1_000_000;
const MAX_PATH_BYTES = 4096;

/** The first entry. */
export interface BackupHead {
  readonly format: number;
  /** The version of the program that created it. */
  readonly version: string;
  /** Milliseconds since the epoch: the time of the copy of the database. */
  readonly createdAtMs: number;
}

/** One file of a backup. */
export interface BackupFile {
  /** Relative to the state directory, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** An item that exists and is not in the backup. */
export interface LeftOut {
  /** Absolute path on the machine of the backup. */
  readonly path: string;
  readonly reason: string;
}

/** The path of an agent's workspace in the backup. */
export interface BackupWorkspace {
  readonly agent: string;
  /** Relative to the state directory. */
  readonly path: string;
  /** Its original absolute path. */
  readonly from: string;
}

/** The last entry. */
export interface BackupManifest extends BackupHead {
  /** The state directory that was backed up. */
  readonly home: string;
  /** True if it contains the credentials. */
  readonly secrets: boolean;
  /** Absent if there was no database yet. */
  readonly database?: { readonly schema: number; readonly sessions: number };
  readonly workspaces: readonly BackupWorkspace[];
  /** The first omitted items. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutCount: number;
  readonly files: readonly BackupFile[];
}

const HeadSchema: z.ZodType<BackupHead> = z.object({ format: z.int().min(1), version: z.string(), createdAtMs: z.number() });

const CountSchema = z.int().min(0);

const ManifestSchema = z.object({
  format: z.literal(FORMAT),
  version: z.string(),
  createdAtMs: z.number(),
  home: z.string(),
  secrets: z.boolean(),
  database: z.object({ schema: z.int().min(1), sessions: CountSchema }).exactOptional(),
  workspaces: z.array(z.object({ agent: z.string(), path: z.string(), from: z.string() })),
  leftOut: z.array(z.object({ path: z.string(), reason: z.string() })),
  leftOutCount: CountSchema,
  files: z.array(z.object({ path: z.string(), bytes: CountSchema, sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
}) satisfies z.ZodType<BackupManifest>;

/** The first entry; `undefined` if it is invalid. */
export function parseHead(text: string): BackupHead | undefined {
  return parseJson(text, HeadSchema);
}

/** The last entry; `undefined` if it is invalid or has another format. */
export function parseManifest(text: string): BackupManifest | undefined {
  return parseJson(text, ManifestSchema);
}

function parseJson<Value>(text: string, schema: z.ZodType<Value>): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** True for a relative path with `/` that stays in its folder, on every system. */
export function isSafePath(path: string): boolean {
  if (path === "" || Buffer.byteLength(path) > MAX_PATH_BYTES || path.includes("\0")) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
