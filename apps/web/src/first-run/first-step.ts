/** A step that the setup can begin with. */
export type FirstStep = "provider" | "name" | "channel" | "heartbeat";
