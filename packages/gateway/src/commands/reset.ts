/** The lines of `/help` for resets. */
export const RESETS: readonly { readonly name: string; readonly summary: string }[] = [
  { name: "/new", summary: "start a new conversation; /new <model> starts it with that model, /new default with the configured one" },
  { name: "/reset", summary: "the same as /new" },
];
