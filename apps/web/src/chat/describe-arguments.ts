/** The arguments of a call, for people: one informative value for a line, and all of them for a block. */
export interface ArgumentsText {
  readonly line: string;
  readonly block: string;
}

const MAX_LINE_LENGTH = 120;

/** Formats JSON arguments; truncated ones, which do not parse, are shown as they are. */
export function describeArguments(argumentsText: string): ArgumentsText {
  let value: unknown;
  try {
    value = JSON.parse(argumentsText);
  } catch (error) {
    if (error instanceof SyntaxError) return { line: cut(argumentsText), block: argumentsText };
    throw error;
  }
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return { line: "", block: "" };
  const telling: unknown = Object.values(value).find((each) => typeof each === "string" && each !== "");
  return { line: cut(typeof telling === "string" ? telling : JSON.stringify(value)), block: JSON.stringify(value, null, 2) };
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH - 1)}…` : line;
}
