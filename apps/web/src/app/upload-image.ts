import * as z from "zod";
import { t } from "../i18n/t.ts";

/** The result of an upload. */
export type UploadOutcome = { readonly type: "uploaded"; readonly ref: string } | { readonly type: "refused"; readonly message: string };

const UploadedSchema = z.object({ ref: z.string() });
const RefusedSchema = z.object({ error: z.object({ message: z.string() }) });

/** Uploads an image to the gateway. Never rejects; `message` says what to do. */
export async function uploadImage(
  image: Blob,
  { address, token, fetch }: { readonly address: string; readonly token: string; readonly fetch: typeof globalThis.fetch },
): Promise<UploadOutcome> {
  try {
    const response = await fetch(address, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: image });
    const body: unknown = await response.json();
    if (response.ok) return { type: "uploaded", ref: UploadedSchema.parse(body).ref };
    return { type: "refused", message: RefusedSchema.parse(body).error.message };
  } catch (error) {
    // No connection, or a response of a proxy in between.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof z.ZodError)
      return { type: "refused", message: t("The gateway did not take it. Check the connection and attach it again.") };
    throw error;
  }
}
