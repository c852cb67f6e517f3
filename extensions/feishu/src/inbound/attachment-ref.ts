import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";

/** The location of a message's file. */
export interface ResourceRef {
  readonly messageId: string;
  readonly key: string;
  readonly type: "image" | "file";
}

const RefSchema: z.ZodType<ResourceRef> = z.strictObject({
  messageId: z.string().min(1),
  key: z.string().min(1),
  type: z.enum(["image", "file"]),
});

/** Writes it down for later. */
export function attachmentRef(resource: ResourceRef): string {
  return JSON.stringify(resource);
}

/** Parses the output of `attachmentRef`; `undefined` for anything else. */
export function parseAttachmentRef(ref: string): ResourceRef | undefined {
  return parseOwn(ref, RefSchema);
}
