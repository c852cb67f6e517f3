import type { LspOptions } from "@factotum/plugin-lsp";
import { FileAccessError, readTextFile, type FileAccess, type FileVersion } from "@factotum/tools";

/** The files of language servers' tools: what the file tools may open, with the same checks, checkpoints and marks. */
export function createLspFiles(files: FileAccess): LspOptions["files"] {
  return {
    async forRun(run) {
      const access = await files.forRun(run);
      return {
        read: async (path) => {
          await using file = await access.openFile(path);
          const { text } = await readTextFile(file);
          return { path: file.path, shown: file.shown, text, untrusted: file.untrusted, version: file.version };
        },
        change: async (changes, options) => {
          await access.change(
            changes.map(({ file, text }) => ({ type: "write", path: file.path, data: text, unchangedSince: file.version as FileVersion })),
            options,
          );
        },
        findInstructions: async (paths) => {
          try {
            return await access.findInstructions(paths);
          } catch (error) {
            // A call that fails changes nothing.
            if (error instanceof FileAccessError) return undefined;
            throw error;
          }
        },
        show: (path) => access.show(path),
      };
    },
  };
}
