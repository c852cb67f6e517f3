import type { JsonObject } from "@factotum/agent-contract";

/** Accessors for untrusted values: each returns undefined for a value of another type. */

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function arrayOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A text that is not blank. */
export function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A count: finite and not negative. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function oneOf<Name extends string>(value: unknown, names: readonly Name[]): Name | undefined {
  return names.find((name) => name === value);
}

/** The latest time that a date can represent. */
const MAX_TIME_MS = 8.64e15;

/** A time, from milliseconds or an ISO text. */
export function timeOf(value: unknown): number | undefined {
  const timeMs = typeof value === "string" ? Date.parse(value) : countOf(value);
  return timeMs === undefined || Number.isNaN(timeMs) || timeMs < 0 || timeMs > MAX_TIME_MS ? undefined : Math.round(timeMs);
}
