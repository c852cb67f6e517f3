import type { KeyPath } from "../document/key-path.ts";

const SECRET_KEY =
  /(secret|token|password|passphrase|credential|api_?key|encrypt_?key|private_?key|signing_?key|access_?key)$|^(auth|authorization|key)$/i;
const SECRET_MAPS: ReadonlySet<string | number | undefined> = new Set(["env", "headers"]);

/** True for a key that holds a secret, by its name: `appSecret`, `apiKey`, `headers.Authorization`, in any schema. */
export function isSecretPath(path: KeyPath): boolean {
  const key = path.at(-1);
  return (typeof key === "string" && SECRET_KEY.test(key)) || SECRET_MAPS.has(path.at(-2));
}

/** Words in names of variables that may hold a secret: also addresses, which may have a password. */
const SECRET_WORD = /key|token|secret|pass|pwd|credential|auth|cookie|session|signature|private|dsn|ur[il]|connection|\bpat\b|_pat$/i;

/** True for a variable whose name says that it is a setting, such as `LOG_LEVEL`: hiding its value everywhere would garble ordinary text. */
export function isPlainVariable(name: string): boolean {
  return !SECRET_WORD.test(name);
}

/** True for a plain variable of a tool or language server, or of an external agent. */
export function isPlainServerVariable(path: KeyPath): boolean {
  return ["mcp", "lsp", "acp"].includes(String(path[0])) && path.at(-2) === "env" && isPlainVariable(String(path.at(-1)));
}
