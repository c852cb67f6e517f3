import * as z from "zod";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** Methods of received files. */
export interface AttachmentMethods {
  /**
   * A part of a file of a message in the session's current conversation, by the id that its entry has: from `offset`, 0 by default, 256 KiB at most. `next` is
   * where it continues. `GET media/<id>?session=<key>` gives the whole file. Rejects with `not-found` if there is no such file, or not any more.
   */
  "attachments.read": {
    params: { readonly sessionKey: string; readonly id: string; readonly offset?: number };
    result: {
      readonly sizeBytes: number;
      /** Of an image, by its bytes; everything else is to be saved, not shown. */
      readonly imageType?: string;
      /** Base64. */
      readonly data: string;
      readonly next?: number;
    };
  };
}

/** Rows of the attachment methods. */
export const ATTACHMENT_METHODS: MethodTable<AttachmentMethods> = defineMethods<AttachmentMethods>()({
  "attachments.read": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key, id: z.string().min(1).max(200), offset: z.number().int().min(0).optional() }),
    result: () =>
      z.strictObject({ sizeBytes: z.number(), imageType: z.string().optional(), data: z.string(), next: z.number().optional() }),
  },
});
