import type { AccountChange, ChannelHost } from "@factotum/channel-contract";
import * as z from "zod";
import { threadHash } from "../message-id.ts";

/** A thread with one person. */
interface KnownThread {
  /** Message-ID of its first mail. */
  readonly root: string;
  readonly subject: string;
}

/** Threads in the account's state: by them an answer finds its thread when its mail program names only the mail that it answers. */
export interface KnownThreads {
  /** The change that keeps a thread for another half year. */
  change(person: string, thread: KnownThread): AccountChange;
  find(person: string, hash: string): Promise<KnownThread | undefined>;
}

const KEPT_MS = 180 * 24 * 60 * 60 * 1000;

const ThreadSchema = z.object({ root: z.string(), subject: z.string() });

/** Threads of one account; the key names the person, so that two people never share a thread. */
export function createKnownThreads({ clock, state }: Pick<ChannelHost, "clock" | "state">): KnownThreads {
  const keyOf = (person: string, hash: string): string => `thread/${person}/${hash}`;
  return {
    change: (person, { root, subject }) => ({
      type: "set",
      key: keyOf(person, threadHash(root)),
      value: { type: "json", json: { root, subject } },
      expiresAtMs: clock.now() + KEPT_MS,
    }),
    async find(person, hash) {
      const row = await state.get(keyOf(person, hash));
      return row?.type === "json" ? ThreadSchema.safeParse(row.json).data : undefined;
    },
  };
}
