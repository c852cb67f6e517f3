import type { Piece, Span } from "../markdown/piece.ts";
import { measure } from "../measure-text.ts";
import type { Dialect, Frame } from "./dialect.ts";
import type { WriterLimits } from "./text-writer.ts";

/** A piece with the markup of a dialect. */
export type RenderStep =
  | Exclude<Piece, { type: "enter" | "exit" }>
  | { readonly type: "enter"; readonly frame: Frame | undefined }
  | { readonly type: "exit"; readonly frame: Frame | undefined };

/** Spans without text between a character and the next, beyond which nobody looks. */
const MAX_LOOKAHEAD = 8;

/** Looks up the markup of all spans. An address too long for the limit stands behind its text, where it can be cut. */
export function toRenderSteps(pieces: readonly Piece[], dialect: Dialect, limits: WriterLimits): RenderStep[] {
  const frames: (Frame | undefined)[] = [];
  return pieces.flatMap((piece): RenderStep[] => {
    if (piece.type === "enter") {
      const frame = frameOf(piece.span, dialect, limits);
      frames.push(frame);
      return [{ type: "enter", frame }];
    }
    if (piece.type !== "exit") return [piece];
    const frame = frames.pop();
    const after = frame?.after;
    return [...(after === undefined ? [] : [{ type: "text", text: after } as const]), { type: "exit", frame }];
  });
}

function frameOf(span: Span, dialect: Dialect, { maxLength, unit }: WriterLimits): Frame | undefined {
  const frame = dialect.frame(span);
  if (frame === undefined || (span.type !== "link" && span.type !== "image")) return frame;
  const length = dialect.counts === "text" ? 0 : measure(frame.open + frame.close, unit);
  if (length <= maxLength / 4) return frame;
  const isShown = span.type === "link" && span.bare !== undefined;
  return { type: "style", open: "", close: "", ...(!isShown && { after: ` (${span.url})` }) };
}

/** What stands behind a text: the markup up to the next character, and that. A line feed at the end. */
export function markupAfter(steps: readonly RenderStep[], index: number): string {
  let markup = "";
  for (let at = index + 1; at <= index + MAX_LOOKAHEAD; at += 1) {
    const step = steps[at];
    if (step?.type === "text") return markup + firstOf(step.text);
    if (step?.type !== "enter" && step?.type !== "exit") break;
    markup += (step.type === "enter" ? step.frame?.open : step.frame?.close) ?? "";
  }
  return `${markup}\n`;
}

/** The first character behind the end of a span, as a delimiter meets it: of the next text, `x` for the markup of another span. A line feed at the end. */
export function characterAfterSpan(steps: readonly RenderStep[], index: number): string {
  for (let at = index + 1; at <= index + MAX_LOOKAHEAD; at += 1) {
    const step = steps[at];
    if (step?.type === "text") return firstOf(step.text);
    if (step?.type === "enter" && step.frame?.type === "style" && step.frame.open !== "") return "x";
    if (step?.type !== "enter" && step?.type !== "exit") return "\n";
  }
  return "\n";
}

function firstOf(text: string): string {
  const [character = "\n"] = text;
  return character;
}
