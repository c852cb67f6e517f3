import * as z from "zod";
import type { CallOptions } from "@factotum/channel-contract";
import type { MatrixApi } from "../api/matrix-api.ts";
import { readState } from "../rooms/room-book.ts";

/** The power levels of a room. */
export interface PowerLevels {
  readonly users: Readonly<Record<string, number>>;
  readonly users_default?: number | undefined;
  readonly events: Readonly<Record<string, number>>;
  readonly events_default?: number | undefined;
  readonly state_default?: number | undefined;
  readonly invite?: number | undefined;
  readonly kick?: number | undefined;
  readonly ban?: number | undefined;
  readonly redact?: number | undefined;
}

const level = z.number().int().optional().catch(undefined);
const LevelsSchema: z.ZodType<PowerLevels> = z.looseObject({
  users: z.record(z.string(), z.number()).catch({}),
  users_default: level,
  events: z.record(z.string(), z.number()).catch({}),
  events_default: level,
  state_default: level,
  invite: level,
  kick: level,
  ban: level,
  redact: level,
});

/** Reads the power levels of a room, with the platform's defaults. Rejects with a PlatformFailure. */
export async function readPowerLevels(api: MatrixApi, roomId: string, options: CallOptions): Promise<PowerLevels> {
  return LevelsSchema.parse((await readState(api, roomId, ["m.room.power_levels"], options)) ?? {});
}

/** The power of a user. */
export function powerOf(levels: PowerLevels, userId: string): number {
  return levels.users[userId] ?? levels.users_default ?? 0;
}

/** What a user of a room may do, in the platform's words. */
export function grantedTo(levels: PowerLevels, userId: string): string[] {
  const power = powerOf(levels, userId);
  const sends = levels.events_default ?? 0;
  const changes = levels.state_default ?? 50;
  const rights: readonly (readonly [name: string, level: number])[] = [
    ["m.room.message", levels.events["m.room.message"] ?? sends],
    ["m.reaction", levels.events["m.reaction"] ?? sends],
    ["m.room.pinned_events", levels.events["m.room.pinned_events"] ?? changes],
    ["m.room.name", levels.events["m.room.name"] ?? changes],
    ["m.room.topic", levels.events["m.room.topic"] ?? changes],
    ["invite", levels.invite ?? 0],
    ["redact", levels.redact ?? 50],
    ["kick", levels.kick ?? 50],
    ["ban", levels.ban ?? 50],
  ];
  return [`power level ${power}`, ...rights.flatMap(([name, needed]) => (power >= needed ? [name] : []))];
}
