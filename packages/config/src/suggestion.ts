/** The end of an error text: `; did you mean "port"?`, or empty. */
export function suggestion(name: string | undefined): string {
  return name === undefined ? "" : `; did you mean "${name}"?`;
}

/** A whole sentence that ends with the suggestion, or with a full stop. */
export function withSuggestion(sentence: string, name: string | undefined): string {
  return `${sentence}${suggestion(name) || "."}`;
}
