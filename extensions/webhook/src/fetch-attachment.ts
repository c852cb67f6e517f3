import { ChannelError } from "@factotum/channel-contract";
import type { AttachmentRef, CallOptions, Media } from "@factotum/channel-contract";
import type { ServiceApi } from "./api/service-api.ts";
import { withChannelErrors } from "./errors.ts";

/** Fetches a file from the service. Files of other origins are refused: an address in a message must not reach into the gateway's network. */
export async function fetchAttachment(
  { ref, kind, mimeType, fileName, voice }: AttachmentRef,
  options: CallOptions & { readonly maxBytes: number },
  { api, outboundUrl }: { readonly api: ServiceApi; readonly outboundUrl: string },
): Promise<Media> {
  const { origin } = new URL(outboundUrl);
  if (!URL.canParse(ref) || new URL(ref).origin !== origin) {
    throw new ChannelError("forbidden", `an attachment is not fetched from another origin than ${origin}`, { retry: { type: "never" } });
  }
  const { bytes, headers } = await withChannelErrors(api.fetchFile(ref, { ...options, timeoutMs: 60_000 }));
  return {
    kind,
    mimeType: mimeType ?? headers.get("content-type")?.split(";")[0]?.trim() ?? "application/octet-stream",
    ...(fileName !== undefined && { fileName }),
    ...(voice !== undefined && { voice }),
    bytes,
  };
}
