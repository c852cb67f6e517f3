import type { AccountProgress, ChannelHost } from "@factotum/channel-contract";
import * as z from "zod";

/** A session of the gateway, from which the platform goes on after a new connection. */
export interface GatewaySession {
  readonly id: string;
  readonly resumeUrl: string;
  /** Number of the last event that is stored. */
  readonly sequence: number;
}

/** The session in the account's state, and the cursor: the session's id and the number of the last stored event. */
export interface SessionStore {
  /** The session to resume, if there is one. */
  load(): Promise<GatewaySession | undefined>;
  /** What is committed when a session begins. */
  begin(session: GatewaySession): AccountProgress;
  /** Forgets the session: the platform does not know it any more. */
  drop(): Promise<void>;
}

const KEY = "gateway/session";
const SessionSchema = z.looseObject({ id: z.string().min(1), resumeUrl: z.string().min(1), sequence: z.number().int().nonnegative() });

/** The cursor after an event. */
export function cursorOf(sessionId: string, sequence: number): string {
  return `${sessionId}/${sequence}`;
}

/** Creates the access to an account's session. */
export function createSessionStore(host: Pick<ChannelHost, "state" | "cursor">): SessionStore {
  return {
    async load() {
      const row = await host.state.get(KEY);
      const session = row?.type === "json" ? SessionSchema.safeParse(row.json).data : undefined;
      if (session === undefined) return undefined;
      const { id, resumeUrl, sequence } = session;
      const [, cursorId, number] = /^(.+)\/(\d{1,15})$/s.exec((await host.cursor()) ?? "") ?? [];
      return { id, resumeUrl, sequence: cursorId === id ? Number(number) : sequence };
    },
    begin: ({ id, resumeUrl, sequence }) => ({
      cursor: cursorOf(id, sequence),
      state: [{ type: "set", key: KEY, value: { type: "json", json: { id, resumeUrl, sequence } }, isSecret: true }],
    }),
    drop: async () => host.state.delete(KEY),
  };
}
