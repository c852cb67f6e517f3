import type { Piece } from "../markdown/piece.ts";

/** A style that is open. */
interface OpenStyle {
  /** Where its piece is in the output. */
  readonly index: number;
  isUnfit: boolean;
}

/**
 * Removes the styles that begin or end, on any of their lines, with what matches `edge`: the platform would show their delimiters. White space at the edges of
 * code is put outside of it. Linear.
 */
export function fitStyles(
  pieces: readonly Piece[],
  { isStyle, edge }: { readonly isStyle: (piece: Piece) => boolean; readonly edge: RegExp },
): readonly Piece[] {
  const output: (Piece | undefined)[] = [];
  const open: (OpenStyle | undefined)[] = [];
  /** The spans below this depth are unfit. */
  let unfitBelow = 0;
  /** The spans from this depth on begin with the next text. */
  let beginsFrom = 0;
  let last = "";
  const endLine = (): void => {
    if (edge.test(last)) unfitBelow = open.length;
  };
  for (const piece of outsideCode(pieces)) {
    switch (piece.type) {
      case "enter":
        open.push(isStyle(piece) ? { index: output.length, isUnfit: false } : undefined);
        break;
      case "text": {
        if (edge.test(piece.text.charAt(0))) for (const style of open.slice(beginsFrom)) if (style !== undefined) style.isUnfit = true;
        beginsFrom = open.length;
        last = piece.text.slice(-1);
        break;
      }
      case "exit": {
        const style = open.pop();
        const isUnfit = style !== undefined && (style.isUnfit || open.length < unfitBelow || edge.test(last));
        [unfitBelow, beginsFrom] = [Math.min(unfitBelow, open.length), Math.min(beginsFrom, open.length)];
        if (!isUnfit) break;
        output[style.index] = undefined;
        continue;
      }
      case "break":
      case "rule":
        endLine();
        beginsFrom = 0;
        last = "";
    }
    output.push(piece);
  }
  return joined(output);
}

/** The pieces with white space at the edges of code before or behind it. */
function outsideCode(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.flatMap((piece, index): readonly Piece[] => {
    const before = pieces[index - 1];
    const [next, afterNext] = [pieces[index + 1], pieces[index + 2]];
    if (isCode(piece) && next?.type === "text" && afterNext?.type === "exit") {
      const space = /^\s*/.exec(next.text)?.[0] ?? "";
      return space === "" ? [piece] : [{ type: "text", text: space }, piece];
    }
    if (piece.type === "text" && isCode(before) && next?.type === "exit") return [{ type: "text", text: piece.text.trim() }];
    const [code, text] = [pieces[index - 2], pieces[index - 1]];
    if (piece.type === "exit" && isCode(code) && text?.type === "text") {
      const space = /\s*$/.exec(text.text)?.[0] ?? "";
      return space === "" ? [piece] : [piece, { type: "text", text: space }];
    }
    return [piece];
  });
}

function isCode(piece: Piece | undefined): boolean {
  return piece?.type === "enter" && piece.span.type === "code";
}

/** Texts never follow each other directly. */
function joined(pieces: readonly (Piece | undefined)[]): readonly Piece[] {
  const output: Piece[] = [];
  for (const piece of pieces) {
    const before = output.at(-1);
    if (piece === undefined) continue;
    if (piece.type === "text" && before?.type === "text") output[output.length - 1] = { type: "text", text: before.text + piece.text };
    else output.push(piece);
  }
  return output;
}
