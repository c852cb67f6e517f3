import type { LspOptions, LspPlace } from "../ports.ts";
import type { Started } from "../started.ts";

/** What the tools of a server need. */
export interface ToolParts {
  readonly server: {
    readonly name: string;
    /** The language in the names of its tools. */
    readonly language: string;
    /** Language ids by the ends of file names. */
    readonly languages: ReadonlyMap<string, string>;
    /** The running server for a file. Never rejects. */
    readonly use: (place: LspPlace, path: string) => Promise<Started>;
  };
  readonly files: LspOptions["files"];
}
