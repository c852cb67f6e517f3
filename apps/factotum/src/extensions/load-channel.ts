import { realpath } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { JsonSchema } from "@factotum/agent-contract";
import type { ChannelExtension } from "@factotum/channel-contract";
import type { InstalledChannel } from "./found-extensions.ts";
import { readSchemaFile } from "./schema-file.ts";

/** How long an import may take. */
const IMPORT_MS = 10_000;

/** An installed package that cannot be used. The message names the package, says why, and contains no secret. */
export class ExtensionError extends Error {
  override readonly name = "ExtensionError";
}

/** Reads the JSON Schema of the channel's accounts. Rejects with an `ExtensionError`. */
export async function readChannelSchema(channel: InstalledChannel): Promise<JsonSchema> {
  try {
    return await readSchemaFile(channel.configSchema);
  } catch (error) {
    throw failure(channel, `its schema ${channel.configSchema} ${reasonOf(error)}`, error);
  }
}

/** Imports the channel's extension, once in a process. Rejects with an `ExtensionError` if that throws, takes too long, or lacks the export. */
export async function loadChannelExtension(
  channel: InstalledChannel,
  { timeoutMs = IMPORT_MS }: { readonly timeoutMs?: number } = {},
): Promise<ChannelExtension> {
  const exported = await importEntry(channel, timeoutMs);
  const name = exportName(channel.id);
  if (!Object.hasOwn(exported, name)) throw failure(channel, `its entry does not export ${name}`);
  const extension = exported[name];
  if (!isExtension(extension)) throw failure(channel, `${name} is no channel extension: id, api, configSchema and create are needed`);
  if (extension.id !== channel.id) throw failure(channel, `${name} has the id "${extension.id}", and its manifest "${channel.id}"`);
  return extension;
}

/** The name under which an entry exports the extension of a channel: `carrier-pigeon` is `carrierPigeonExtension`. */
export function exportName(id: string): string {
  return `${id.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Extension`;
}

async function importEntry(channel: InstalledChannel, timeoutMs: number): Promise<Readonly<Record<string, unknown>>> {
  const ended = new AbortController();
  const timeout = setTimeout(timeoutMs, undefined, { signal: ended.signal }).then(
    () => Promise.reject(failure(channel, `its import did not end within ${timeoutMs / 1000} seconds`)),
    () => ({}),
  );
  const imported = async (): Promise<object> => {
    try {
      return (await import(pathToFileURL(await realpath(channel.entry)).href)) as object;
    } catch (error) {
      throw failure(channel, `its import failed (${reasonOf(error)})`, error);
    }
  };
  try {
    return (await Promise.race([imported(), timeout])) as Readonly<Record<string, unknown>>;
  } finally {
    ended.abort();
  }
}

function isExtension(value: unknown): value is ChannelExtension {
  if (typeof value !== "object" || value === null) return false;
  const { id, api, configSchema, create } = value as Readonly<Record<string, unknown>>;
  const parses = typeof configSchema === "object" && configSchema !== null && "parse" in configSchema;
  return typeof id === "string" && api === 1 && parses && typeof create === "function";
}

function failure({ packageName, version }: InstalledChannel, reason: string, cause?: unknown): ExtensionError {
  return new ExtensionError(`the extension ${packageName} ${version} cannot be loaded: ${reason}`, { cause });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}
