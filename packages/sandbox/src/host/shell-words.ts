import { access, constants } from "node:fs/promises";

/**
 * The shell that runs shell text, up to its `-c`. Bash takes an input that is a socket, as Node makes it, for a remote login: without the option it would run the
 * user's startup file.
 */
export async function shellWords(): Promise<readonly [file: string, ...options: readonly string[]]> {
  return access("/bin/bash", constants.X_OK).then(
    () => ["/bin/bash", "--norc"] as const,
    () => ["/bin/sh"] as const,
  );
}
