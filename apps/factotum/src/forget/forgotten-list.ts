import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "@factotum/config";
import * as z from "zod";
import { CliError } from "../runtime/cli-error.ts";
import { LIST_NAME } from "./list-name.ts";
import type { TextPattern } from "./text-patterns.ts";

/** What the owner has forgotten, in a form that does not say it: every database that comes from a backup is compared with it. */
export interface Tombstone {
  readonly id: string;
  /** When it was decided, milliseconds since the epoch: nothing newer is forgotten. */
  readonly atMs: number;
  /** The salt of its patterns. */
  readonly salt: string;
  /** Session keys. */
  readonly sessions: readonly TextPattern[];
  /** From, inclusive, to, exclusive. */
  readonly span?: { readonly fromMs: number; readonly toMs: number };
  /** Each exchange with one of these texts. */
  readonly texts: readonly TextPattern[];
  /** Lines of notes, which are removed there, and replaced where others quote them. */
  readonly lines: readonly TextPattern[];
  /** The ids of the databases from which it is removed completely. */
  readonly doneIn: readonly string[];
}

interface ForgottenList {
  readonly version: 1;
  readonly forgotten: readonly Tombstone[];
}

function listSchema(): z.ZodType<ForgottenList> {
  const pattern = z.strictObject({ length: z.number().int().positive(), start: z.number().int().nonnegative(), digest: z.string() });
  const tombstone = z.strictObject({
    id: z.string(),
    atMs: z.number(),
    salt: z.string(),
    sessions: z.array(pattern),
    span: z.strictObject({ fromMs: z.number(), toMs: z.number() }).exactOptional(),
    texts: z.array(pattern),
    lines: z.array(pattern),
    doneIn: z.array(z.string()),
  });
  return z.strictObject({ version: z.literal(1), forgotten: z.array(tombstone) });
}

/** The tombstones in a state directory, oldest first. Rejects with a `CliError` if the list cannot be read, since what must not return is then unknown. */
export async function readForgotten(home: string): Promise<readonly Tombstone[]> {
  return readForgottenFile(join(home, LIST_NAME));
}

/** The tombstones in a file; none if there is no such file. */
export async function readForgottenFile(file: string): Promise<readonly Tombstone[]> {
  try {
    return listSchema().parse(JSON.parse(await readFile(file, "utf8"))).forgotten;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && ["ENOENT", "ENOTDIR", "EISDIR"].includes(String(cause.code))) return [];
    throw new CliError("failure", `The list of what was forgotten, ${file}, cannot be read.`, {
      cause,
      fix: "Take it from a backup. Without it, what was forgotten may return from backups.",
    });
  }
}

/** Adds to the list; a tombstone with the id of a listed one takes its place. Resolves once it is on the disk. */
export async function writeForgotten(home: string, tombstones: readonly Tombstone[]): Promise<void> {
  if (tombstones.length === 0) return;
  const all = new Map((await readForgotten(home)).map((one) => [one.id, one]));
  for (const tombstone of tombstones) all.set(tombstone.id, tombstone);
  const forgotten = [...all.values()].toSorted((one, other) => one.atMs - other.atMs);
  await writePrivateFile(join(home, LIST_NAME), `${JSON.stringify({ version: 1, forgotten } satisfies ForgottenList)}\n`);
}
