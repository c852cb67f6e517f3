/** The fake provider's text at the end of every turn. */
export const ANSWER = "All is well, and the kettle is on.";
/** Words in a message that make the fake provider call a tool first. */
export const TOOL_WORDS = "kettle-inventory";
/** A message that is answered at once. */
export const PLAIN_MESSAGE = "How is the kettle today?";
/** A message for which one tool is called. */
export const TOOL_MESSAGE: string = `Look at the ${TOOL_WORDS}, please.`;
/** The workspace file that is read in such a turn: every product has one of that name. */
export const TOOL_FILE = "kettles.md";
/** Turns of a conversation, unless a figure says otherwise. */
export const TURNS_PER_SESSION = 25;
/** 30 characters, by the definition of the first request's size. */
export const MODEL_ID = "claude-sonnet-5-5-bench-000001";

/** What the provider has received since the last query. */
export interface ProviderReport {
  readonly requests: number;
  /** The body of the first request, unchanged. */
  readonly firstBody: string;
}
