import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Secret } from "../schema/secret.ts";
import { expandHome, statePaths, type Environment, type StatePaths } from "../state/state-paths.ts";
import { readCommandOutput } from "./read-command-output.ts";

/** The value of a secret, or why it is missing. `message` names the source, never a value. */
export type SecretResolution =
  | { readonly type: "resolved"; readonly value: string }
  | { readonly type: "unresolved"; readonly message: string };

/** Options of `resolveSecret`. */
export interface ResolveSecretOptions {
  readonly env: Environment;
  /** Timeout of a program in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const MAX_BYTES = 64 * 1024;
const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Reads a secret from its source. Never rejects, and never resolves with an empty text: a consumer without its secret is turned off instead of running without
 * it. Values from a file or a program are trimmed.
 */
export async function resolveSecret(secret: Secret, options: ResolveSecretOptions): Promise<SecretResolution> {
  switch (secret.type) {
    case "literal":
      return resolvedOr(secret.value, "the secret is empty");
    case "env":
      return resolvedOr(
        options.env[secret.name] ?? "",
        `the environment variable ${secret.name} is not set; set it before the gateway starts`,
      );
    case "file":
      return fromFile(secret.path, options.env);
    case "exec":
      return fromCommand(secret.command, options);
  }
}

/** The path of a secret's file: relative paths start at the state directory, `~` is the user's home. */
export function secretFilePath(path: string, paths: StatePaths): string {
  return resolve(paths.home, expandHome(path, paths));
}

async function fromFile(path: string, env: Environment): Promise<SecretResolution> {
  const file = secretFilePath(path, statePaths(env));
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) return unresolved(`the file ${file} is larger than a secret can be (${MAX_BYTES} bytes)`);
    return resolvedOr((await readFile(file, "utf8")).trim(), `the file ${file} is empty`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    return unresolved(code === "ENOENT" ? `the file ${file} does not exist` : `the file ${file} cannot be read (${code})`);
  }
}

async function fromCommand(command: readonly string[], options: ResolveSecretOptions): Promise<SecretResolution> {
  const [name = ""] = command;
  const result = await readCommandOutput(command, {
    env: options.env,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    ...withoutUndefined({ signal: options.signal }),
  });
  if (result.type === "failed") return unresolved(`the command ${name} ${result.message}`);
  return resolvedOr(result.output.trim(), `the command ${name} printed nothing`);
}

function resolvedOr(value: string, otherwise: string): SecretResolution {
  return value.trim() === "" ? unresolved(otherwise) : { type: "resolved", value };
}

function unresolved(message: string): SecretResolution {
  return { type: "unresolved", message };
}
