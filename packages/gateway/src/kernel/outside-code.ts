/** Applies `change` to everything but fenced blocks and inline code. */
export function outsideCode(text: string, change: (part: string) => string): string {
  // A fence runs to its closing fence or to the end; inline code to the same number of backticks.
  const code = /(^|\n)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n\2[^\n]*|$)|(`+)(?!`)[\s\S]*?[^`]\3(?!`)/g;
  let result = "";
  let from = 0;
  for (const match of text.matchAll(code)) {
    result += change(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return result + change(text.slice(from));
}
