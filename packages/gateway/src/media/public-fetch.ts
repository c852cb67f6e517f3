import { ChannelError } from "@factotum/channel-contract";
import type { ChannelErrorCode, ChannelHost, Retry } from "@factotum/channel-contract";
import type { RemoteFile, RemoteFiles } from "./remote-files.ts";

type Reason = Extract<RemoteFile, { readonly type: "refused" }>["reason"];

const ERRORS: Readonly<Record<Reason, readonly [code: ChannelErrorCode, retry: Retry]>> = {
  "not-allowed": ["forbidden", { type: "never" }],
  "too-large": ["too-long", { type: "never" }],
  unavailable: ["unreachable", { type: "backoff" }],
};

/** What channels fetch files with that other people name. */
export function publicFetch(files: RemoteFiles): ChannelHost["fetchPublic"] {
  return async (url, options) => {
    const file = await files.fetch(url, options);
    if (file.type === "file") return file.bytes;
    const [code, retry] = ERRORS[file.reason];
    throw new ChannelError(code, file.message, { retry });
  };
}
