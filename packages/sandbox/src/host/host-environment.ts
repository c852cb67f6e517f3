/**
 * Variables that a command gets from the gateway's own environment. All others, secrets above all, are withheld (R21). The last two locate this gateway:
 * without them `factotum` in a command would talk to another one.
 */
const PASSED = ["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "SHELL", "TZ", "FACTOTUM_HOME", "FACTOTUM_CONFIG"];

const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The environment of one command: built from empty, the passed variables first, then those of the request. */
export function hostEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = { PATH: FALLBACK_PATH };
  for (const name of PASSED) {
    const value = base[name];
    if (value !== undefined && value !== "") environment[name] = value;
  }
  return { ...environment, ...added };
}
