import type { CellAlign } from "../markdown/piece.ts";

/** A text in one style. Line ends are characters of it. */
export interface StyledRun {
  readonly text: string;
  readonly strong?: true;
  readonly emphasis?: true;
  readonly strikethrough?: true;
  readonly code?: true;
  /** The address that it links to. */
  readonly url?: string;
  /** True if it describes the picture at `url`. */
  readonly image?: true;
}

/** The list item that a block belongs to. `level` is 0 for the outermost list; `continued` if the item began with an earlier block. */
export interface BlockItem {
  readonly level: number;
  readonly number?: number;
  readonly checked?: boolean;
  readonly continued?: true;
}

/** Where a block stands. */
interface Surroundings {
  /** Number of quotes around it. */
  readonly quoted: number;
  readonly item?: BlockItem;
}

/** A part of a message that is shown by itself, for platforms that take structures in place of markup. */
export type StyledBlock = Surroundings &
  (
    | { readonly type: "text"; readonly runs: readonly StyledRun[]; readonly heading?: 1 | 2 | 3 | 4 | 5 | 6 }
    | { readonly type: "code"; readonly text: string; readonly language?: string }
    | { readonly type: "rule" }
    /** The first row is the head. */
    | { readonly type: "table"; readonly rows: readonly (readonly (readonly StyledRun[])[])[]; readonly columns: readonly CellAlign[] }
  );
