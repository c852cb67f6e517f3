import * as z from "zod";

/** One room of a sync. Its events are parsed one by one: a bad one must not hide the others. */
export interface SyncedRoom {
  readonly timeline: { readonly events: readonly unknown[]; readonly limited: boolean; readonly prev_batch?: string | undefined };
  readonly state: { readonly events: readonly unknown[] };
}

/** The answer to a sync. */
export interface SyncAnswer {
  readonly next_batch: string;
  readonly account_data: { readonly events: readonly unknown[] };
  readonly rooms: {
    readonly join: Readonly<Record<string, SyncedRoom>>;
    readonly leave: Readonly<Record<string, SyncedRoom>>;
    readonly invite: Readonly<Record<string, { readonly invite_state: { readonly events: readonly unknown[] } }>>;
  };
}

/** The answer to a request for earlier events, newest first. */
export interface MessagesAnswer {
  readonly chunk: readonly unknown[];
  readonly state: readonly unknown[];
  readonly end?: string | undefined;
}

const EventsSchema = z.looseObject({ events: z.array(z.unknown()).catch([]) }).catch({ events: [] });
const RoomSchema = z
  .looseObject({
    timeline: z
      .looseObject({
        events: z.array(z.unknown()).catch([]),
        limited: z.boolean().catch(false),
        prev_batch: z.string().optional().catch(undefined),
      })
      .catch({ events: [], limited: false }),
    state: EventsSchema,
  })
  .catch({ timeline: { events: [], limited: false }, state: { events: [] } });

/** Parses the answer to a sync. */
export const SyncSchema: z.ZodType<SyncAnswer> = z.lazy(() =>
  z.looseObject({
    next_batch: z.string().min(1).max(2_000),
    account_data: EventsSchema,
    rooms: z
      .looseObject({
        join: z.record(z.string(), RoomSchema).catch({}),
        leave: z.record(z.string(), RoomSchema).catch({}),
        invite: z.record(z.string(), z.looseObject({ invite_state: EventsSchema }).catch({ invite_state: { events: [] } })).catch({}),
      })
      .catch({ join: {}, leave: {}, invite: {} }),
  }),
) as unknown as z.ZodType<SyncAnswer>;

/** Parses the answer to a request for earlier events. */
export const MessagesSchema: z.ZodType<MessagesAnswer> = z.lazy(() =>
  z.looseObject({
    chunk: z.array(z.unknown()).catch([]),
    state: z.array(z.unknown()).catch([]),
    end: z.string().optional().catch(undefined),
  }),
);
