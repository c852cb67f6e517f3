/** Tools that show file contents. */
const READERS: ReadonlySet<string> = new Set(["read", "grep"]);

/** True if one of the tools can open a file that is named to the model. Commands run for the owner only. */
export function opensFiles(tools: readonly { readonly name: string }[], { owner }: { readonly owner: boolean }): boolean {
  return tools.some(({ name }) => READERS.has(name) || (owner && name === "exec"));
}
