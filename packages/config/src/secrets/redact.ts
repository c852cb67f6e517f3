import { formatKeyPath, valueAt, type KeyPath } from "../document/key-path.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import type { FactotumConfig } from "../factotum-config.ts";
import { isSecretReference, parseSecret, REDACTED } from "../schema/secret.ts";
import type { Environment } from "../state/state-paths.ts";
import { isArgument, secretArgument } from "./secret-arguments.ts";
import { isPlainServerVariable, isSecretPath } from "./secret-keys.ts";
import { redactUrl, urlSecrets } from "./secret-urls.ts";

/** Shorter values would redact ordinary words in a log. */
const SHORTEST_SECRET = 4;

/** A copy for display: every literal secret is replaced by a mark that is refused when it is written back. References stay. */
export function redactSecrets(value: unknown, path: KeyPath = []): unknown {
  if (typeof value === "string") {
    if (isSecretPath(path) && !isSecretReference(value)) return REDACTED;
    return redactUrl(value);
  }
  if (Array.isArray(value))
    return value.map((entry, index) => redactedArgument(value, index, path) ?? redactSecrets(entry, [...path, index]));
  if (!isPlainObject(value) || isSecretReference(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, redactSecrets(entry, [...path, key])]));
}

/** The value at `path` of a document as `redactSecrets` shows it: whether an argument is a secret, the one before it says. */
export function redactedAt(document: Document, path: KeyPath): unknown {
  const index = path.at(-1);
  if (typeof index !== "number") return redactSecrets(valueAt(document, path), path);
  const list = redactSecrets(valueAt(document, path.slice(0, -1)), path.slice(0, -1));
  return Array.isArray(list) ? (list[index] as unknown) : undefined;
}

function redactedArgument(list: readonly unknown[], index: number, path: KeyPath): string | undefined {
  const found = secretArgument(list, index, path);
  return found === undefined ? undefined : `${found.prefix}${REDACTED}`;
}

/** A copy of a resolved configuration for display: no literal secret is in it, and references are as a file writes them. */
export function redactConfig(value: unknown, path: KeyPath = []): unknown {
  if (Array.isArray(value))
    return value.map((entry, index) => redactedArgument(value, index, path) ?? redactConfig(entry, [...path, index]));
  if (!isPlainObject(value)) return redactSecrets(value, path);
  if (value["type"] === "literal" && typeof value["value"] === "string" && Object.keys(value).length === 2)
    return isPlainServerVariable(path) ? value["value"] : REDACTED;
  if (value["type"] === "env" && typeof value["name"] === "string" && Object.keys(value).length === 2) return { env: value["name"] };
  if (value["type"] === "file" && typeof value["path"] === "string" && Object.keys(value).length === 2) return { file: value["path"] };
  if (value["type"] === "exec" && Array.isArray(value["command"]) && Object.keys(value).length === 2) return { exec: value["command"] };
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, redactConfig(entry, [...path, key])]));
}

/** The paths of redaction marks in a value to be written. */
export function redactionMarks(value: unknown, path: KeyPath = []): KeyPath[] {
  if (typeof value === "string") return value.includes(REDACTED) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((entry, index) => redactionMarks(entry, [...path, index]));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) => redactionMarks(entry, [...path, key]));
}

/**
 * The keys that contain a literal secret, for `doctor`: each should be moved elsewhere. Variables such as `LOG_LEVEL` are not secret, and an argument can be
 * moved nowhere.
 */
export function literalSecrets(document: Document): string[] {
  return literalSecretPaths(document)
    .filter((path) => !isArgument(path))
    .map(formatKeyPath);
}

/** The places of literal secrets. */
export function literalSecretPaths(document: Document): KeyPath[] {
  const found: KeyPath[] = [];
  walkStrings(document, [], (text, path, isHidden) => {
    const isLiteral = isSecretPath(path) && !isPlainServerVariable(path) && !isSecretReference(text);
    if (isLiteral || isHidden || urlSecrets(text).length > 0) found.push(path);
  });
  return found;
}

/**
 * Texts at the positions of secrets in a document, of any type, so that they can be hidden in excerpts: a secret in a list or written as a number counts, too.
 */
export function literalSecretTexts(document: Document): string[] {
  const found: string[] = [];
  const visit = (value: unknown, path: KeyPath, isBelow: boolean): void => {
    const isPlace = isBelow || isSecretPath(path);
    if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) {
        const { secret = "" } = secretArgument(value, index, path) ?? {};
        if (secret.length >= SHORTEST_SECRET) found.push(secret);
        visit(entry, [...path, index], isPlace);
      }
    } else if (isPlainObject(value)) {
      if (!isSecretReference(value)) for (const [key, entry] of Object.entries(value)) visit(entry, [...path, key], isPlace);
    } else if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      const secrets = isPlace && !isSecretReference(value) ? [text] : urlSecrets(text);
      // Small numbers are not secrets, whatever the name of their key (`reserveToken`).
      const shortest = typeof value === "number" ? SHORTEST_SECRET + 2 : SHORTEST_SECRET;
      found.push(...secrets.filter(({ length }) => length >= shortest));
    }
  };
  visit(document, [], false);
  return found;
}

/**
 * The secrets that a configuration contains or refers to in the environment, for the log's redaction. Secrets from files and programs are known only after
 * resolution: their resolver adds them.
 */
export function secretValues(config: FactotumConfig, env: Environment): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (value: string | undefined): void => void (value !== undefined && value.length >= SHORTEST_SECRET && found.add(value));
  const visit = (value: unknown, path: KeyPath): void => {
    if (typeof value === "string") {
      const secret = isSecretPath(path) || isSecretReference(value) ? parseSecret(value) : undefined;
      if (secret?.type === "literal") add(secret.value);
      if (secret?.type === "env") add(env[secret.name]);
      for (const part of urlSecrets(value)) add(part);
    } else if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) {
        add(secretArgument(value, index, path)?.secret);
        visit(entry, [...path, index]);
      }
    } else if (isPlainObject(value)) {
      if (value["type"] === "literal" && typeof value["value"] === "string" && !isPlainServerVariable(path)) add(value["value"]);
      if (value["type"] === "env" && typeof value["name"] === "string") add(env[value["name"]]);
      if (typeof value["env"] === "string") add(env[value["env"]]);
      for (const [key, entry] of Object.entries(value)) visit(entry, [...path, key]);
    }
  };
  visit(config, []);
  return found;
}

/** `isHidden`: the text is an argument with a secret. */
type VisitString = (text: string, path: KeyPath, isHidden: boolean) => void;

function walkStrings(value: unknown, path: KeyPath, visit: VisitString): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      if (typeof entry === "string") visit(entry, [...path, index], secretArgument(value, index, path) !== undefined);
      else walkStrings(entry, [...path, index], visit);
    }
  } else if (isPlainObject(value) && !isSecretReference(value)) {
    for (const [key, entry] of Object.entries(value)) {
      if (typeof entry === "string") visit(entry, [...path, key], false);
      else walkStrings(entry, [...path, key], visit);
    }
  }
}
