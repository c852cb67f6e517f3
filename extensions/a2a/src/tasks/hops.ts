import type { UntrustedNote } from "@factotum/channel-contract";

/** Names the key of the metadata of messages and tasks with the number of agents that a request has passed. */
export const HOPS_EXTENSION = "urn:factotum:a2a:hops:v1";

/** Tells the model the number with which it passes a request on, so that agents that call each other in a circle come to an end. */
export function hopsNote(onwardHops: number): UntrustedNote {
  const metadata = JSON.stringify({ [HOPS_EXTENSION]: onwardHops });
  return { source: "a2a", text: `A request to another agent that this task causes has this in the metadata of its message: ${metadata}` };
}
