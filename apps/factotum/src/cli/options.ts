import { InvalidArgumentError, Option } from "commander";

/** Milliseconds of the units of an age. */
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The option of every command with machine-readable output. */
export function json(): Option {
  return new Option("--json", "print JSON for programs");
}

/** Parses an integer from 1. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It is a number from 1 on.");
  return Number(text);
}

/** Parses an integer from 0. */
export function place(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It is a number from 0 on.");
  return Number(text);
}

/** Parses the hash of a text. */
export function baseHash(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError("A base is the 64 characters that show --json prints as baseHash.");
  return text;
}

/** Parses a TCP port. */
export function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (value < 0 || value > 65_535) throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return value;
}

/** Parses `30s`, `15m`, `2h` or `7d` into milliseconds. */
export function age(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) throw new InvalidArgumentError("An age is written like 30s, 15m, 2h or 7d.");
  return Number(count) * (UNITS[unit] ?? 0);
}

/** Parses an age, or a date with or without a time, local if it names no zone, into milliseconds since the epoch. */
export function moment(text: string): number {
  const isDate = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?$/.test(text);
  // A date alone would be midnight in UTC.
  const atMs = isDate ? Date.parse(text.length === 10 ? `${text}T00:00` : text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  if (/^\d+[smhd]$/.test(text)) return Date.now() - age(text);
  throw new InvalidArgumentError("A time is written like 2h or 7d ago, 2026-01-30 or 2026-01-30T18:00.");
}
