import type { ChatFile } from "@factotum/protocol";
import * as z from "zod";
import { gatewayText } from "../i18n/gateway-text.ts";
import { t } from "../i18n/t.ts";

/** The result of an upload. */
export type UploadOutcome =
  | { readonly type: "uploaded"; readonly ref: string; readonly kind: ChatFile["kind"] }
  | { readonly type: "refused"; readonly message: string };

const UploadedSchema = z.object({ ref: z.string(), kind: z.enum(["image", "audio", "video", "file"]).catch("image") });
const RefusedSchema = z.object({ error: z.object({ message: z.string() }) });

/** Uploads a file to the gateway. Never rejects; `message` says what to do. */
export async function uploadFile(
  file: Blob,
  { address, token, fetch }: { readonly address: string; readonly token: string; readonly fetch: typeof globalThis.fetch },
): Promise<UploadOutcome> {
  try {
    const response = await fetch(address, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: file });
    const body: unknown = await response.json();
    if (response.ok) return { type: "uploaded", ...UploadedSchema.parse(body) };
    return { type: "refused", message: gatewayText(RefusedSchema.parse(body).error.message) };
  } catch (error) {
    // No connection, or a response of a proxy in between.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof z.ZodError)
      return { type: "refused", message: t("The gateway did not take it. Check the connection and attach it again.") };
    throw error;
  }
}
