import type { FileHandle } from "node:fs/promises";
import type { ImportedEntry } from "../port/store.ts";
import type { SessionFileFacts } from "./session-file.ts";

/** What the thread that reads a session file is given. */
export interface SessionFileJob {
  readonly handle: FileHandle;
  /** Only as many bytes are read. */
  readonly sizeBytes: number;
}

/** What it sends: its facts once, and one message for each request after that. */
export type FromSessionFileWorker =
  | { readonly type: "facts"; readonly facts: SessionFileFacts }
  | { readonly type: "entries"; readonly entries: readonly ImportedEntry[] }
  | { readonly type: "end" }
  | { readonly type: "failed"; readonly message: string };
