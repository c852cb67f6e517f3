import type { Transform, TransformCallback } from "node:stream";
import type { ImapFlow } from "imapflow";

/** The longest response that is right: the numbers of all mails of a folder with two million. */
export const MAX_RESPONSE_BYTES: number = 16 * 1024 * 1024;

/**
 * Calls `onExcess` once a response has more than `MAX_RESPONSE_BYTES`, and takes no more of it. The library itself collects a line for as long as it has no end, and
 * has no option for it: the stream inside it, which its types do not name, is watched.
 */
export function limitResponses(imap: ImapFlow, onExcess: () => void): void {
  const { streamer } = imap as unknown as { readonly streamer: Transform };
  const push = streamer.push.bind(streamer);
  const transform = streamer._transform.bind(streamer);
  /** Bytes since the last complete response. */
  let pending = 0;
  streamer.push = (response: unknown, encoding?: BufferEncoding): boolean => {
    pending = 0;
    return push(response, encoding);
  };
  streamer._transform = (chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void => {
    pending += chunk.length;
    if (pending <= MAX_RESPONSE_BYTES) transform(chunk, encoding, done);
    else onExcess();
  };
}
