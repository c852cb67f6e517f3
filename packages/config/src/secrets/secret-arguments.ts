import type { KeyPath } from "../document/key-path.ts";
import { isSecretReference } from "../schema/secret.ts";
import { isSecretPath } from "./secret-keys.ts";

/** Keys of lists of arguments. */
const ARGUMENT_LISTS: ReadonlySet<string | number | undefined> = new Set(["args", "command"]);
/** `--api-key=…`, `API_KEY=…`, `Authorization: …`. */
const NAMED = /^(?<prefix>-{0,2}(?<name>[A-Za-z][\w-]*)(?:=|:\s*))(?<secret>.+)$/s;
/** `--api-key`, before its value. */
const FLAG = /^--?(?<name>[A-Za-z][\w-]*)$/;

/** A secret in an argument of a program, by the name of its flag, with what stands before it. */
interface SecretArgument {
  readonly prefix: string;
  readonly secret: string;
}

/** The secret in an entry of the list at `path`; `undefined` without one, and for other lists than arguments. */
export function secretArgument(list: readonly unknown[], index: number, path: KeyPath): SecretArgument | undefined {
  const text = list[index];
  if (!ARGUMENT_LISTS.has(path.at(-1)) || typeof text !== "string") return undefined;
  const { prefix = "", name = "", secret = "" } = NAMED.exec(text)?.groups ?? {};
  if (isSecretName(name) && !isSecretReference(secret)) return { prefix, secret };
  const before = list[index - 1];
  const flag = typeof before === "string" ? (FLAG.exec(before)?.groups?.["name"] ?? "") : "";
  return isSecretName(flag) && text !== "" && !text.startsWith("-") && !isSecretReference(text) ? { prefix: "", secret: text } : undefined;
}

/** True for the place of an argument: it can hold no reference to a secret. */
export function isArgument(path: KeyPath): boolean {
  return typeof path.at(-1) === "number" && ARGUMENT_LISTS.has(path.at(-2));
}

function isSecretName(name: string): boolean {
  return name !== "" && isSecretPath([name.replaceAll("-", "_")]);
}
