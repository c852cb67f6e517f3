import type { JsonSchema } from "@factotum/agent-contract";
import { ACTIVE_KEYS } from "../active-keys.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { RESTART_KEYS } from "../restart-keys.ts";
import { isSecretPath } from "../secrets/secret-keys.ts";
import type { ChannelSchema } from "../validate/channel-source.ts";
import { alternatives, isSecret, secretReferences } from "../validate/json-schema.ts";
import { describedSchema, NAME } from "./describe-schema.ts";

/**
 * The schema of the file for a program that draws forms: each key has a `title`, and where it holds `x-secret` (the value is never shown), `x-restart` (it takes
 * effect after a restart) and `x-inactive` (this build has no effect of it yet).
 */
export function describedForms(channels: readonly ChannelSchema[]): JsonSchema {
  return annotated(describedSchema(channels) as Document, []) as JsonSchema;
}

/** The schema of a channel's own settings of one account, in the same way. A secret may also be a reference. */
export function describedAccount({ id, schema }: ChannelSchema): JsonSchema {
  return annotated(withReferences(schema as Document, []) as Document, ["channels", id]) as JsonSchema;
}

function withReferences(node: unknown, path: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((one: unknown) => withReferences(one, path));
  if (!isPlainObject(node)) return node;
  if (node["type"] === "string" && !("enum" in node) && !("const" in node) && path.length > 0 && isSecretPath(path)) {
    const { description, ...form } = node;
    return { ...(description !== undefined && { description }), "x-secret": true, anyOf: [form, ...secretReferences()] };
  }
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) =>
      name === "properties" && isPlainObject(value)
        ? [name, Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withReferences(one, [...path, key])]))]
        : [name, withReferences(value, path)],
    ),
  );
}

function annotated(node: Document, path: readonly string[]): Document {
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => {
      if (name === "properties" && isPlainObject(value))
        return [name, Object.fromEntries(Object.entries(value).map(([key, child]) => [key, titled(child, [...path, key])]))];
      if (name === "additionalProperties" && isPlainObject(value)) return [name, titled(value, [...path, NAME])];
      if (name === "items" && isPlainObject(value)) return [name, annotated(value, [...path, NAME])];
      if (["anyOf", "oneOf", "allOf"].includes(name) && Array.isArray(value))
        return [name, value.map((form: unknown) => (isPlainObject(form) ? annotated(form, path) : form))];
      return [name, value];
    }),
  );
}

function titled(node: unknown, path: readonly string[]): unknown {
  if (!isPlainObject(node)) return node;
  const key = path.at(-1) ?? "";
  const place = path.join(".");
  // Every text of an account may refer to a secret, which does not make it a secret.
  const isWritten = isSecret(node) && alternatives(node).some(({ writeOnly }) => writeOnly === true);
  const isHidden = isWritten || ((isSecret(node) || node["type"] === "string") && isSecretPath(path));
  return {
    ...(key === NAME ? {} : { title: titleOf(key) }),
    ...(isHidden ? { "x-secret": true } : {}),
    ...(RESTART_KEYS.includes(place) ? { "x-restart": true } : {}),
    ...(isActive(path) ? {} : { "x-inactive": true }),
    ...annotated(node, path),
  };
}

const ACRONYMS = /\b(?:api|dm|id|lsp|mcp|tts|url|usd)\b/gi;

/** `contextWindow` as `Context window`, `baseUrl` as `Base URL`. */
function titleOf(key: string): string {
  const words = key
    .replaceAll(/([a-z\d])([A-Z])/g, (_, last: string, first: string) => `${last} ${first.toLowerCase()}`)
    .replaceAll(/[_-]/g, " ");
  const named = words.replaceAll(ACRONYMS, (word) => word.toUpperCase());
  return `${named.slice(0, 1).toUpperCase()}${named.slice(1)}`;
}

function isActive(path: readonly string[]): boolean {
  return ACTIVE_KEYS.some((pattern) =>
    pattern.split(".").every((part, index) => index >= path.length || part === "*" || part === path[index] || path[index] === NAME),
  );
}
