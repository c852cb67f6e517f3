import type { SQLOutputValue } from "node:sqlite";
import { StoreError } from "../../port/store-error.ts";

/** One row as it was read; the accessors below are the only way to its values. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

function damaged(name: string): StoreError {
  return new StoreError("damaged", `The column ${name} does not hold what was written.`);
}

/** A text that must be there. */
export function textOf(row: Row, name: string): string {
  const value = row[name];
  if (typeof value !== "string") throw damaged(name);
  return value;
}

/** A whole number that must be there. */
export function numberOf(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== "number") throw damaged(name);
  return value;
}

/** A text, or undefined for null. */
export function optionalText(row: Row, name: string): string | undefined {
  return row[name] === null ? undefined : textOf(row, name);
}

/** A number, or undefined for null. */
export function optionalNumber(row: Row, name: string): number | undefined {
  return row[name] === null ? undefined : numberOf(row, name);
}
