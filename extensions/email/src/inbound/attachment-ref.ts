import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";

/** Where a file is: a part of a mail of the folder. */
export interface PartPlace {
  /** UIDVALIDITY of the folder: under another one the number means another mail. */
  readonly validity: string;
  readonly uid: number;
  readonly part: string;
}

const PlaceSchema = z.strictObject({
  validity: z.string().min(1),
  uid: z.number().int().positive(),
  part: z.string().regex(/^(?:TEXT|\d+(?:\.\d+)*)$/),
});

/** Writes a reference. */
export function renderRef(place: PartPlace): string {
  return JSON.stringify(place);
}

/** Reads a reference; `undefined` if it is not one of this channel. */
export function parseRef(ref: string): PartPlace | undefined {
  return parseOwn(ref, PlaceSchema);
}
