import { open } from "node:fs/promises";
import { CliError } from "../runtime/cli-error.ts";

/** Opens a new file, which only its owner may read. Rejects with a `CliError` if there is one with the name, or it cannot be made. */
export async function openNew(path: string): ReturnType<typeof open> {
  try {
    return await open(path, "wx", 0o600);
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause)) throw cause;
    const message = cause.code === "EEXIST" ? `${path} is there already.` : `${path} cannot be written: ${cause.message}`;
    throw new CliError("failure", message, { cause, fix: "Name another file." });
  }
}
