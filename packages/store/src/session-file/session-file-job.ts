import type { FileHandle } from "node:fs/promises";
import type { ImportedEntry } from "../port/session-store.ts";
import type { SessionFileFacts } from "./session-file.ts";

/** The input of the thread that reads a session file. */
export interface SessionFileJob {
  readonly handle: FileHandle;
  /** Only this many bytes are read. */
  readonly sizeBytes: number;
}

/** Its messages: the facts once, then one message per request. */
export type FromSessionFileWorker =
  | { readonly type: "facts"; readonly facts: SessionFileFacts }
  | { readonly type: "entries"; readonly entries: readonly ImportedEntry[] }
  | { readonly type: "end" }
  | { readonly type: "failed"; readonly message: string };
