import { StoreError } from "../port/store-error.ts";
import type { SessionFileProblem } from "./session-file.ts";

/** The result of an import or of its dry run. */
export interface ImportReport {
  readonly imported: readonly ImportedReport[];
  /** Keys of conversations that exist already, from an earlier import or because they were never removed. */
  readonly present: readonly string[];
  readonly refused: readonly { readonly key: string; readonly reason: string }[];
  /** Transcripts that no entry of `sessions.json` names: older conversations, each of which can be imported separately. */
  readonly unlisted: readonly string[];
}

/** One imported session. */
export interface ImportedReport {
  readonly key: string;
  readonly sessionId: string;
  readonly entries: number;
  readonly problems: readonly SessionFileProblem[];
  /** Where the unreadable file was copied to. */
  readonly keptAside?: string;
}

/** True for an error of one session that does not affect the rest of the import. */
export function isAboutSource(error: unknown): error is Error {
  if (StoreError.isInstance(error)) return ["conflict", "invalid", "internal"].includes(error.code);
  return isFileError(error) && !["EMFILE", "ENFILE", "ENOSPC", "EROFS", "EDQUOT", "EIO"].includes(error.code ?? "");
}

/** An error of the file system. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}

/** Why a session is refused whose key belongs to another conversation. */
export function takenReason(key: string): string {
  return `There is another conversation under ${key} here. Import its transcript alone under a key of its own, or remove the one that is here.`;
}
