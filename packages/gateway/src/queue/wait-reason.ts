import type { ChatWait } from "@factotum/protocol";

/** What messages, or the tools of a run, wait for, in the terms of the protocol. */
export type WaitReason = ChatWait["type"];

/** What tools wait for. */
export type ToolWaitReason = Extract<WaitReason, "tools" | "own-tools">;

/** What queued messages wait for. */
export type QueueWaitReason = Exclude<WaitReason, ToolWaitReason>;
