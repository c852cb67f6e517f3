import { REDACTED } from "../schema/secret.ts";
import { isSecretPath } from "./secret-keys.ts";

/** Credentials in a URL. */
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)([^\s/?#@]+)@/i;
const URL_WITH_QUERY = /^[a-z][a-z0-9+.-]*:\/\/[^\s?]*\?/i;
/** `?api_key=…`, `&token=…`. */
const PARAMETER = /(?<=[?&])([\w.-]+)=([^&#\s]+)/g;
/** The environment has it. */
const VARIABLE = /^\$\{\w+\}$/;

/** The secrets in a URL: credentials before its host, and parameters whose names say so; none in another text. */
export function urlSecrets(text: string): readonly string[] {
  const credentials = CREDENTIALS.exec(text)?.[2];
  const parameters = URL_WITH_QUERY.test(text) ? [...text.matchAll(PARAMETER)] : [];
  return [
    ...(credentials === undefined ? [] : [credentials]),
    ...parameters.flatMap(([, name = "", value = ""]) => (isSecret(name, value) ? [value] : [])),
  ];
}

/** The URL with marks for its secrets; another text as it is. */
export function redactUrl(text: string): string {
  const shown = text.replace(CREDENTIALS, `$1${REDACTED}@`);
  if (!URL_WITH_QUERY.test(text)) return shown;
  return shown.replaceAll(PARAMETER, (whole, name: string, value: string) => (isSecret(name, value) ? `${name}=${REDACTED}` : whole));
}

function isSecret(name: string, value: string): boolean {
  return isSecretPath([name.replaceAll(/[.-]/g, "_")]) && !VARIABLE.test(value);
}
