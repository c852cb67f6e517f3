import * as z from "zod";

/** Where a file of a message is fetched from. */
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

/** Reads what `attachmentRef` wrote; `undefined` for anything else. */
export function parseAttachmentRef(ref: string): ResourceRef | undefined {
  try {
    return RefSchema.safeParse(JSON.parse(ref)).data;
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
