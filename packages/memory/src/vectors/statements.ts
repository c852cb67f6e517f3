/** More of one passage are put together, so that a list of single words does not take the room of many passages. */
const MAX_STATEMENTS = 8;

/**
 * The parts of a passage that are embedded each for itself: paragraphs and items of lists, at most 8. One vector for a passage would be the mean of all that
 * happened on a day, and near nothing that is asked.
 */
export function statementsOf(text: string): readonly string[] {
  const all = text.split(/\n(?=\s*(?:[-*+]|\d+[.)]|#{1,6})\s|\s*\n)/u).map((part) => part.trim());
  const telling = all.filter((part) => part !== "" && !/^#{1,6}\s[^\n]*$/u.test(part));
  const parts = telling.length === 0 ? [text.trim()] : telling;
  const size = Math.ceil(parts.length / MAX_STATEMENTS);
  return Array.from({ length: Math.ceil(parts.length / size) }, (_, index) => parts.slice(index * size, (index + 1) * size).join("\n"));
}
