import { withoutUndefined } from "@factotum/agent-contract";
import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { NO_SUCH_FILE, readSessionFile } from "../media/read-session-file.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** Bytes of one part. */
const PART_BYTES = 256 * 1024;

/** The methods of received files. */
export function attachmentHandlers({ sessions, parts }: Engine): RpcHandlersOf<Extract<RpcMethod, `attachments.${string}`>> {
  return {
    "attachments.read": async ({ sessionKey, id, offset = 0 }) => {
      const file = await readSessionFile({ id, sessionKey: await sessions.resolveKey({ sessionKey }) }, parts);
      if (file === undefined) throw new RpcError("not-found", NO_SUCH_FILE);
      const { bytes, imageType } = file;
      const end = Math.min(bytes.length, offset + PART_BYTES);
      return {
        sizeBytes: bytes.length,
        ...withoutUndefined({ imageType, next: end < bytes.length ? end : undefined }),
        data: Buffer.from(bytes.subarray(offset, end)).toString("base64"),
      };
    },
  };
}
