/** What a heartbeat says when the configuration does not (`heartbeat.prompt`). */
export const DEFAULT_HEARTBEAT_PROMPT =
  "Heartbeat. If the workspace has a HEARTBEAT.md, go through it and do what is due now; take up nothing else from the past. Nothing to tell: HEARTBEAT_OK.";
