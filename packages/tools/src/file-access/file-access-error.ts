/**
 * - `invalid-path`: not a path at all (empty, NUL, too long, `~` without a home).
 * - `outside`: not under any folder that tools may use.
 * - `reserved`: the assistant's own state or configuration.
 * - `read-only`: may be read, not written.
 * - `not-found`, `not-a-file`, `not-a-folder`: not what was asked for.
 * - `changed`: something else changed the file or its folder in between.
 * - `needs-confirmation`: the run may not change it (R23).
 * - `unsuitable`: the content breaks a rule for this file.
 * - `failed`: the system refused (permissions, disk full, input and output).
 */
export type FileAccessErrorCode =
  | "invalid-path"
  | "outside"
  | "reserved"
  | "read-only"
  | "not-found"
  | "not-a-file"
  | "not-a-folder"
  | "changed"
  | "needs-confirmation"
  | "unsuitable"
  | "failed";

/** Why a tool could not access a file. The message is written for the model and says what to do instead. */
export class FileAccessError extends Error {
  readonly code: FileAccessErrorCode;

  constructor(code: FileAccessErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FileAccessError";
    this.code = code;
  }
}

/** The system's error code, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Maps a file system error; a FileAccessError is unchanged. `shown` is the path as the model knows it. */
export function toFileAccessError(error: unknown, shown: string): FileAccessError {
  if (error instanceof FileAccessError) return error;
  const options = { cause: error };
  switch (systemCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return new FileAccessError("not-found", `${shown} does not exist.`, options);
    case "EISDIR":
      return new FileAccessError("not-a-file", `${shown} is a folder.`, options);
    case "ENAMETOOLONG":
      return new FileAccessError("invalid-path", `The path is too long for this system: ${shown.slice(0, 80)}…`, options);
    case "ELOOP":
      return new FileAccessError("changed", `${shown} leads through symbolic links that go in circles or changed just now.`, options);
    case "EACCES":
    case "EPERM":
      return new FileAccessError("failed", `The system denies access to ${shown}.`, options);
    case "EROFS":
      return new FileAccessError("read-only", `${shown} is on a read-only file system.`, options);
    case "ENOSPC":
    case "EDQUOT":
      return new FileAccessError("failed", `The disk is full; ${shown} was not written.`, options);
    case "EMFILE":
    case "ENFILE":
      return new FileAccessError("failed", "Too many files are open at the moment; try again.", options);
    default: {
      // The system's own message has the absolute path.
      const reason = systemCode(error) ?? (error instanceof Error ? error.message : "unknown failure");
      return new FileAccessError("failed", `${shown}: ${reason}`, options);
    }
  }
}
