import type { KeyPath } from "../document/key-path.ts";

const SECRET_KEY =
  /(secret|token|password|passphrase|credential|api_?key|encrypt_?key|private_?key|signing_?key|access_?key)$|^(auth|authorization|key)$/i;
const SECRET_MAPS: ReadonlySet<string | number | undefined> = new Set(["env", "headers"]);

/** True for a key that holds a secret, by its name: `appSecret`, `apiKey`, `headers.Authorization`, in any schema. */
export function isSecretPath(path: KeyPath): boolean {
  const key = path.at(-1);
  return (typeof key === "string" && SECRET_KEY.test(key)) || SECRET_MAPS.has(path.at(-2));
}
