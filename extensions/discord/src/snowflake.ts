import { PlatformFailure } from "@factotum/channel-kit";

/** 1 January 2015, from which the platform counts. */
const EPOCH_MS = 1_420_070_400_000;

/** True for an id of the platform. */
export function isSnowflake(id: string): boolean {
  return /^\d{1,20}$/.test(id);
}

/** When the thing with this id was created, in milliseconds since the epoch; 0 for what is no id. */
export function snowflakeTimeMs(id: string): number {
  return isSnowflake(id) ? Number(BigInt(id) >> 22n) + EPOCH_MS : 0;
}

/** The id of a message that has to exist. An id of another kind, such as that of a press, is refused as the platform refuses unknown messages. */
export function requireMessageId(id: string): string {
  if (!isSnowflake(id)) throw new PlatformFailure({ type: "refused", code: "10008", status: 404 }, "there is no such message");
  return id;
}
