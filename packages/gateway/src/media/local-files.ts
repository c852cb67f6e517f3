import type { RunFacts } from "@factotum/agent-contract";

/** A local file, or why it was not read. */
export type LocalFile =
  | {
      readonly type: "file";
      readonly bytes: Uint8Array;
      /** As shown to the model. */
      readonly shown: string;
      /** Its content comes from strangers (R23). */
      readonly untrusted: boolean;
    }
  | { readonly type: "refused"; readonly reason: "not-found" | "not-allowed" | "too-large" | "secret"; readonly shown: string };

/** Reads files like the file tools: only under the folders that the run may use, checked after symbolic links (R21). Provided by the composition. */
export interface LocalFiles {
  /** Reads a whole file of at most `maxBytes`. Never rejects for a missing or unreadable file. Relative paths start at the run's workspace. */
  read(
    path: string,
    options: {
      readonly run: RunFacts;
      readonly maxBytes: number;
      /** For a file that is sent: its real path must be in the run's workspace, and it must hold no secret. */
      readonly isInWorkspace?: true;
    },
  ): Promise<LocalFile>;
}
