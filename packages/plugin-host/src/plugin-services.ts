import { PLUGIN_LIMITS } from "@factotum/plugin";
import type { PluginJson } from "@factotum/plugin";
import type { AskMethod } from "./child/messages.ts";
import type { InstalledPlugin, PluginHostOptions, PluginRows } from "./installed-plugin.ts";

type ServiceParts = Pick<PluginHostOptions, "rowsOf" | "fetch">;

/** Options of a request for a service. */
interface ServiceOptions {
  /** Fires when the plugin ends. */
  readonly signal: AbortSignal;
}

type Service = (params: readonly unknown[], options: ServiceOptions) => Promise<PluginJson>;

/** What a plugin may ask the gateway for, a row each. Rejects with what is wrong. */
export function createServices(
  plugin: InstalledPlugin,
  { rowsOf, fetch }: ServiceParts,
): (method: string, params: readonly unknown[], options: ServiceOptions) => Promise<PluginJson> {
  const rows = rowsOf(plugin.id);
  // Changes come one after the other, so that several at once cannot pass the limit of rows together.
  let changed: Promise<unknown> = Promise.resolve();
  const afterChanges = async <Value>(change: () => Promise<Value>): Promise<Value> => {
    const done = changed.then(change);
    changed = done.catch(() => undefined);
    return done;
  };
  const services: Readonly<Record<AskMethod, Service>> = {
    "state.get": async ([key]) => {
      const value = await rows.get(keyOf(key));
      return value === undefined ? {} : { value };
    },
    "state.keys": async ([prefix]) => rows.keys(prefix === "" ? "" : keyOf(prefix)),
    "state.set": async ([key, value]) => afterChanges(async () => setRow(rows, keyOf(key), value)),
    "state.delete": async ([key]) => {
      await afterChanges(async () => rows.delete(keyOf(key)));
      return null;
    },
    fetch: async ([url, options], { signal }) => {
      const { method = "GET", headers = {}, body } = isObject(options) ? options : {};
      if (typeof url !== "string" || !URL.canParse(url)) throw new Error("fetch needs an address");
      if (method !== "GET" && method !== "POST") throw new Error("fetch has the methods GET and POST");
      const allows = (at: URL): boolean => plugin.hosts.some((host) => isHost(at, host));
      if (!allows(new URL(url))) throw new Error(`the manifest has no permission network:${new URL(url).host}`);
      const request = {
        url,
        method,
        headers: headersOf(headers),
        ...(typeof body === "string" ? { body } : {}),
        maxBytes: PLUGIN_LIMITS.fetchBytes,
        signal,
      } as const;
      return { ...(await fetch(request, allows)) };
    },
  };
  return async (method, params, options) => {
    if (!Object.hasOwn(services, method)) throw new Error(`there is no service ${method.slice(0, 40)}`);
    return services[method as AskMethod](params, options);
  };
}

/** True if an address has the host of a permission: `example.org`, `*.example.org`, `*`, with an optional port. */
export function isHost({ hostname, port, protocol }: URL, allowed: string): boolean {
  const [, name = "", wanted] = /^(.*?)(?::(\d+))?$/.exec(allowed.toLowerCase()) ?? [];
  const actual = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  if (wanted === undefined ? port !== "" : wanted !== actual) return false;
  if (name === "*") return true;
  return name.startsWith("*.") ? hostname.endsWith(name.slice(1)) : hostname === name;
}

async function setRow(rows: PluginRows, key: string, value: unknown): Promise<null> {
  const { stateValueChars, stateRows } = PLUGIN_LIMITS;
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new Error("the value is not JSON");
  if (text.length > stateValueChars) throw new Error(`the value has ${text.length} characters, and ${stateValueChars} are allowed`);
  if ((await rows.get(key)) === undefined && (await rows.keys("")).length >= stateRows)
    throw new Error(`the state has ${stateRows} rows, and no more are allowed`);
  await rows.set(key, value as PluginJson);
  return null;
}

function keyOf(key: unknown): string {
  if (typeof key === "string" && key !== "" && key.length <= PLUGIN_LIMITS.stateKeyChars && key.isWellFormed()) return key;
  throw new Error(`a key is a text of 1 to ${PLUGIN_LIMITS.stateKeyChars} characters`);
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (!isObject(headers)) return {};
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
