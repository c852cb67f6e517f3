import { ChannelError } from "@factotum/channel-contract";
import type { AttachmentRef, CallOptions, Media } from "@factotum/channel-contract";
import type { AdapterSession } from "./adapter/adapter-session.ts";
import { callAdapter } from "./adapter/call-adapter.ts";
import type { AdapterCalls } from "./adapter/call-adapter.ts";
import { refusal } from "./adapter/find-adapter.ts";
import { toChannelError } from "./errors.ts";
import { parseAttachmentRef } from "./inbound/attachment-ref.ts";

/** Lets the adapter fetch a file, with its own credentials and from where it allows. */
export async function fetchAttachment(
  { fileName, kind, mimeType, ref, voice }: AttachmentRef,
  options: CallOptions & { readonly maxBytes: number },
  { session, ...calls }: AdapterCalls & { readonly session: AdapterSession },
): Promise<Media> {
  const attachment = parseAttachmentRef(ref);
  if (attachment === undefined) throw refusal("the reference is not one of this channel");
  const check = (bytes: number): void => {
    if (bytes > options.maxBytes)
      throw new ChannelError("too-long", `the file has more than ${options.maxBytes} bytes`, { retry: { type: "never" } });
  };
  check(attachment.size ?? 0);
  const adapter = await session.ready(options);
  const { fetchData } = adapter.rehydrateAttachment?.(attachment) ?? attachment;
  if (fetchData === undefined) throw refusal("the adapter cannot fetch files of earlier messages");
  const data = await callAdapter(fetchData, options, calls).catch((error: unknown) => {
    throw toChannelError(error);
  });
  const bytes = new Uint8Array(data);
  check(bytes.byteLength);
  return {
    kind,
    mimeType: mimeType ?? "application/octet-stream",
    ...(fileName !== undefined && { fileName }),
    ...(voice !== undefined && { voice }),
    bytes,
  };
}
