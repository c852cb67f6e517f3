import type { RunFacts } from "@factotum/agent-contract";

/** A file of this machine, or why it was not read. */
export type LocalFile =
  | {
      readonly type: "file";
      readonly bytes: Uint8Array;
      /** As the model should know it. */
      readonly shown: string;
      /** What is in it comes from strangers (R23). */
      readonly untrusted: boolean;
    }
  | { readonly type: "refused"; readonly reason: "not-found" | "not-allowed" | "too-large"; readonly shown: string };

/** Reads files as the file tools do: only under the folders that the run may use, checked after symbolic links (R21). Given by the composition. */
export interface LocalFiles {
  /** Reads a whole file of at most `maxBytes`. Never rejects for what is or is not there. Relative paths count from the run's workspace. */
  read(
    path: string,
    options: {
      readonly run: RunFacts;
      readonly maxBytes: number;
      /** Only what really lies in the run's workspace, links followed. */
      readonly isInWorkspace?: true;
    },
  ): Promise<LocalFile>;
}
