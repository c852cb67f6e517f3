import type { CallOptions, ChannelHost, Conversation } from "@factotum/channel-contract";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { toChannelError } from "../errors.ts";

/** Tells people that the bot has read their messages. */
export interface ReadReceipts {
  /** Marks a message and everything before it as read, soon. A failure is not worth a repetition: the next message marks it too. */
  read(conversation: Conversation, messageId: string): void;
}

/** Creates the receipts of one account; `signal` ends the requests. At most one is on its way for each conversation, and the newest waits. */
export function createReadReceipts(api: MatrixApi, { logger }: Pick<ChannelHost, "logger">, { signal }: CallOptions): ReadReceipts {
  const waiting = new Map<string, string>();
  const busy = new Set<string>();
  const work = async (key: string, { id, threadId }: Conversation): Promise<void> => {
    for (let next = waiting.get(key); next !== undefined && !signal.aborted; next = waiting.get(key)) {
      waiting.delete(key);
      const request = {
        method: "POST",
        path: pathOf("rooms", id, "receipt", "m.read", next),
        body: { thread_id: threadId ?? "main" },
      } as const;
      await api.call("the read receipt", request, { signal }).catch((error: unknown) => {
        logger.debug("matrix message not marked as read", { error: toChannelError(error).message });
      });
    }
  };
  return {
    read(conversation, messageId) {
      const key = `${conversation.id}/${conversation.threadId ?? ""}`;
      waiting.set(key, messageId);
      if (busy.has(key)) return;
      busy.add(key);
      void work(key, conversation).finally(() => {
        busy.delete(key);
        if (signal.aborted) waiting.delete(key);
      });
    },
  };
}
