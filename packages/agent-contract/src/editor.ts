import type { RunFacts } from "./run.ts";

/** The files of the project that an editor has open, unsaved changes included. Implemented by the gateway, used by `tools`. */
export interface EditorFiles {
  /** True if the editor of the run's session offers files. Cheap: it is asked for every file. */
  offersFiles(run: RunFacts): boolean;
  /**
   * The text of a file as the editor of the run's session shows it; `undefined` if there is no such editor, or if it does not answer: then the disk counts.
   * `path` is real. Never rejects.
   */
  read(path: string, run: RunFacts): Promise<string | undefined>;
  /**
   * Has the editor write a file. `none`: there is no editor that does; `refused`: it has not written it. Rejects with a message for the model if it may or may
   * not have written it.
   */
  write(path: string, text: string, run: RunFacts): Promise<EditorWrite>;
}

/** What became of a write. */
export type EditorWrite = { readonly type: "written" } | { readonly type: "none" } | { readonly type: "refused"; readonly reason: string };

/** A command for a terminal of an editor. */
export interface EditorCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Added to the variables of the editor. */
  readonly env: Readonly<Record<string, string>>;
  /** Output that the editor keeps; it drops the oldest. */
  readonly maxOutputBytes: number;
}

/** A command in a terminal of an editor. Call `release` in the end. */
export interface EditorTerminal {
  /** Resolves with its end. Rejects if the editor is gone. */
  readonly ended: Promise<{ readonly exitCode?: number; readonly signal?: string }>;
  /** The newest output. `isCut`: its beginning is dropped. Rejects if the editor does not answer. */
  output(): Promise<{ readonly text: string; readonly isCut: boolean }>;
  /** Ends the command. Rejects if the editor does not answer. */
  kill(): Promise<void>;
  /** Ends the command, if it still runs, and frees the terminal. Never rejects. */
  release(): Promise<void>;
}

/** What became of a start. `none`: the editor was gone before it was asked; `refused`: the editor has not started it. */
export type EditorStart =
  | { readonly type: "started"; readonly terminal: EditorTerminal }
  | { readonly type: "none" }
  | { readonly type: "refused"; readonly reason: string };

/** The terminals of editors. Implemented by the gateway, used by `sandbox`. */
export interface EditorTerminals {
  /** True if the editor of the run's session offers terminals. */
  offers(run: RunFacts): boolean;
  /** Starts a command. Rejects with a message for the model if it may or may not have started. */
  start(command: EditorCommand, run: RunFacts): Promise<EditorStart>;
}
