import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";

/** What a client shows of a running call. `kind` is for display alone. */
export interface ShownCall {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
  /** The changes that it makes, as far as its arguments say them. */
  readonly diffs: ToolCallContent[];
}
