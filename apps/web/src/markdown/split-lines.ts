/** Lines per chunk of code: few enough to render again with each update, many enough that long code has few chunks. */
export const CHUNK_LINES = 50;

/** Splits code into chunks of whole lines; joined they are the code. When code grows at its end, only its last chunk changes. */
export function splitLines(code: string): readonly string[] {
  const chunks: string[] = [];
  let start = 0;
  let lines = 0;
  for (let end = code.indexOf("\n"); end !== -1; end = code.indexOf("\n", end + 1)) {
    lines += 1;
    if (lines < CHUNK_LINES) continue;
    chunks.push(code.slice(start, end + 1));
    start = end + 1;
    lines = 0;
  }
  if (start < code.length || chunks.length === 0) chunks.push(code.slice(start));
  return chunks;
}
