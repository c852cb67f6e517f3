import { pathToFileURL } from "node:url";
import type { Adapter, Logger } from "chat";
import type { ChatSdkConfig } from "../config.ts";
import { printable } from "../errors.ts";
import { findAdapter, refusal } from "./find-adapter.ts";

/** Methods without which nothing can be received or sent. */
const NEEDED = ["initialize", "handleWebhook", "postMessage", "channelIdFromThreadId"] as const;

/**
 * Imports the adapter's package and creates the adapter with the account's options and our logger. Rejects with a ChannelError of one line if the package is missing,
 * cannot be imported, has no factory, or refuses its options.
 */
export async function loadAdapter({ adapter: name, options }: ChatSdkConfig, logger: Logger, from: string): Promise<Adapter> {
  const { entry, version } = await findAdapter(name, from);
  const exported = await importEntry(entry, `${name} ${version}`);
  const factory = factoryOf(name, exported);
  if (typeof factory === "string") throw refusal(`the package ${name} ${version} is no adapter of the Chat SDK: ${factory}`);
  const adapter = attempt(() => factory({ logger, ...options }), `${name} ${version}`);
  const missing = NEEDED.filter((method) => typeof adapter?.[method] !== "function");
  if (missing.length > 0) throw refusal(`what ${name} ${version} makes is no adapter of the Chat SDK: it lacks ${missing.join(", ")}`);
  return adapter as unknown as Adapter;
}

type Factory = (options: object) => Readonly<Record<string, unknown>> | undefined;

async function importEntry(entry: string, what: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(entry).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw refusal(`the adapter ${what} cannot be imported (${reasonOf(error)}); install it again`, error);
  }
}

/** The one export that creates an adapter, by the SDK's convention; of several the one with the package's name. */
function factoryOf(name: string, exported: Readonly<Record<string, unknown>>): Factory | string {
  const names = Object.keys(exported).filter((key) => /^create\w*Adapter$/.test(key) && typeof exported[key] === "function");
  const last = (name.split("/").at(-1) ?? "").replaceAll(/[^a-z0-9]/g, "");
  const [first] = names.length === 1 ? names : names.filter((key) => key.toLowerCase() === `create${last}adapter`);
  if (first !== undefined) return exported[first] as Factory;
  return names.length === 0
    ? "it exports no function create…Adapter"
    : `it exports ${names.length} functions create…Adapter, and none has its name`;
}

function attempt<T>(create: () => T, what: string): T {
  try {
    return create();
  } catch (error) {
    throw refusal(`the adapter ${what} refuses its options: ${reasonOf(error)}`, error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? printable(error.message) : "unknown";
}
