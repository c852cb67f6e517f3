import * as z from "zod";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty } from "./params.ts";

/** Largest recording of `media.transcribe`, in bytes: minutes of speech, and with its encoding less than a frame of the socket. */
export const MAX_RECORDING_BYTES = 720_000;

/** Methods of recordings. */
export interface MediaMethods {
  /** Whether recordings can be transcribed: `models.transcription` names a model or a program. */
  "media.state": { params: Record<string, never>; result: { readonly transcription: boolean } };
  /**
   * The text of a recording, which is not kept, charged like a person's message. `data` is the file in base64; its kind is found by its bytes. The text
   * is empty if nothing was said. Rejects with `unavailable` without `models.transcription` and if the model or the program fails, and with `invalid-request` for
   * a file that is no recording.
   */
  "media.transcribe": { params: { readonly data: string }; result: { readonly text: string } };
}

/** Rows of the methods of recordings. */
export const MEDIA_METHODS: MethodTable<MediaMethods> = defineMethods<MediaMethods>()({
  "media.state": { access: "owner", stores: false, params: () => empty, result: () => z.strictObject({ transcription: z.boolean() }) },
  "media.transcribe": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ data: z.base64().max(Math.ceil(MAX_RECORDING_BYTES / 3) * 4) }),
    result: () => z.strictObject({ text: z.string() }),
  },
});
