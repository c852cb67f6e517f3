/** A step that the settings can begin with. */
export type FirstStep = "provider" | "name" | "channel" | "heartbeat";
