/** The heartbeat prompt, unless configured (`heartbeat.prompt`). */
export const DEFAULT_HEARTBEAT_PROMPT =
  "Heartbeat. If there is a HEARTBEAT.md, go through it and do what is due now. Do not resume earlier work. If there is nothing to report, answer only HEARTBEAT_OK.";
