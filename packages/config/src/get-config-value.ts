import { formatKeyPath, parseKeyPath, valueAt, type KeyPath } from "./document/key-path.ts";
import { isPlainObject } from "./document/plain-object.ts";
import type { LoadedConfig } from "./load-config.ts";
import { nearestName } from "@factotum/agent-contract";
import { suggestion } from "./suggestion.ts";
import { CommonAccountSchema } from "./schema/accounts.ts";
import { ConfigDocumentSchema } from "./schema/root.ts";
import { redactSecrets } from "./secrets/redact.ts";
import type { ChannelSchema } from "./validate/channel-source.ts";
import { configJsonSchema, knownKeys, presetAt, unknownPart } from "./validate/json-schema.ts";

/** The value of a key, for people and programs: literal secrets are replaced by a mark. */
export type ConfigValue =
  | { readonly type: "set"; readonly value: unknown }
  /** Not set in the file: the default. */
  | { readonly type: "default"; readonly value: unknown }
  | { readonly type: "absent" };

/** Looks up a key in the file, falling back to its default; that of a channel's own key needs the channel's schema. Throws a `KeyPathError` for an invalid key. */
export function getConfigValue(key: string, loaded: LoadedConfig, channels: readonly ChannelSchema[] = []): ConfigValue {
  const path = parseKeyPath(key);
  const written = valueAt(loaded.written, path);
  if (written !== undefined) return { type: "set", value: redactSecrets(written, path) };
  const value = path[0] === "channels" ? accountDefault(path, loaded, channels) : defaultAt(path, loaded);
  return value === undefined || (isPlainObject(value) && path.length > 1 && Object.keys(value).length === 0)
    ? { type: "absent" }
    : { type: "default", value };
}

/** An error for an unknown key, with the nearest known one; `undefined` if the key exists. Throws a `KeyPathError` for an invalid path. */
export function describeUnknownKey(key: string, channels: readonly ChannelSchema[]): string | undefined {
  const schema = configJsonSchema(channels);
  const place = unknownPart(schema, parseKeyPath(key));
  if (place === undefined) return undefined;
  const nearest = nearestName(String(place.at(-1)), knownKeys(schema, place.slice(0, -1)));
  return `${formatKeyPath(place)}: there is no such key${suggestion(nearest)}`;
}

/** What holds for a key of an account that is not written: what `channels.defaults` says, else the default of its schema. */
function accountDefault(path: KeyPath, { config }: LoadedConfig, channels: readonly ChannelSchema[]): unknown {
  const [, channel, ...rest] = path;
  const [accountId, inside] = rest[0] === "accounts" ? [String(rest[1]), rest.slice(2)] : ["default", rest];
  const [key] = inside;
  if (typeof key !== "string") return CommonAccountSchema.parse({});
  if (!Object.hasOwn(CommonAccountSchema.shape, key)) return presetAt(configJsonSchema(channels), path);
  const account = config.channels[String(channel)]?.accounts[accountId];
  return valueAt(account ?? CommonAccountSchema.parse({}), inside);
}

function defaultAt(path: ReturnType<typeof parseKeyPath>, { config }: LoadedConfig): unknown {
  const fixed = valueAt(ConfigDocumentSchema.parse({}), path);
  if (fixed !== undefined) return fixed;
  const [top, scope, ...rest] = path;
  if (top !== "agents" || scope !== "defaults") return undefined;
  if (rest.length === 1 && rest[0] === "maxConcurrent") return config.maxConcurrent;
  const main = config.agents.find(({ isDefault }) => isDefault);
  return rest[0] === "workspace" || rest[0] === "userTimezone" ? valueAt(main, rest) : undefined;
}
