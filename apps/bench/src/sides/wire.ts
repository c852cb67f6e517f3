/** What the fake provider says at the end of every turn. */
export const ANSWER = "All is well, and the kettle is on.";
/** Words in a message for which the fake provider calls a tool first. */
export const TOOL_WORDS = "kettle-inventory";
/** A message that is answered at once. */
export const PLAIN_MESSAGE = "How is the kettle today?";
/** A message for which one tool is called. */
export const TOOL_MESSAGE: string = `Look at the ${TOOL_WORDS}, please.`;
/** The file in the workspace that is read in such a turn: a tool of that name has everybody. */
export const TOOL_FILE = "kettles.md";
/** Turns of a conversation, in every figure that does not say otherwise. */
export const TURNS_PER_SESSION = 25;
/** 30 characters, as the size of the first request is stated for. */
export const MODEL_ID = "claude-sonnet-5-5-bench-000001";

/** What the provider has seen since it was last asked. */
export interface ProviderReport {
  readonly requests: number;
  /** The body of the first request, as it came. */
  readonly firstBody: string;
}
