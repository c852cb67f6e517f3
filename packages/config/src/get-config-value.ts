import { parseKeyPath, valueAt } from "./document/key-path.ts";
import { isPlainObject } from "./document/plain-object.ts";
import type { LoadedConfig } from "./load-config.ts";
import { CommonAccountSchema } from "./schema/accounts.ts";
import { ConfigDocumentSchema } from "./schema/root.ts";
import { redactSecrets } from "./secrets/redact.ts";

/** The value of a key, as people and programs may see it: literal secrets are replaced by a mark. */
export type ConfigValue =
  | { readonly type: "set"; readonly value: unknown }
  /** The file does not say; this is what holds then. */
  | { readonly type: "default"; readonly value: unknown }
  | { readonly type: "absent" };

/** Looks a key up: what the file says, else its fixed default. Throws a `KeyPathError` for a key that cannot be read. */
export function getConfigValue(key: string, loaded: LoadedConfig): ConfigValue {
  const path = parseKeyPath(key);
  const written = valueAt(loaded.written, path);
  if (written !== undefined) return { type: "set", value: redactSecrets(written, path) };
  const [top, , ...rest] = path;
  const value =
    top === "channels" ? valueAt(CommonAccountSchema.parse({}), rest[0] === "accounts" ? rest.slice(2) : rest) : defaultAt(path, loaded);
  return value === undefined || (isPlainObject(value) && path.length > 1 && Object.keys(value).length === 0)
    ? { type: "absent" }
    : { type: "default", value };
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
