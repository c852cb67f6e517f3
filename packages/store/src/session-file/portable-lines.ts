import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import { parseMessage } from "./parse-message.ts";
import { arrayOf, nonEmpty, objectOf, stringOf, timeOf } from "./unknown-value.ts";

/**
 * Makes the lines of a plain file independent of the store that they came from: entries are numbered from 1, turns are not named, and the fields of a message
 * have a fixed order. Two stores that hold the same conversation give the same bytes. Pass the lines in order, starting with the header.
 */
export function createPortableLines(): (line: JsonObject) => JsonObject {
  const places = new Map<string, string>();
  let last: string | null = null;
  return ({ id, parentId: _parent, turnId: _turn, ...line }) => {
    const { type, timestamp, ...content } = line;
    if (type === "session") {
      const { cwd: _workspace, ...header } = content;
      return { type, id: id ?? "", timestamp: timestamp ?? null, ...header };
    }
    const place = String(places.size + 1);
    const parentId = last;
    last = place;
    if (typeof id === "string") places.set(id, place);
    const envelope = { type: type ?? null, id: place, parentId, timestamp: timestamp ?? null };
    return { ...envelope, ...portableContent(content, places, timeOf(timestamp) ?? 0) };
  };
}

function portableContent(content: JsonObject, places: ReadonlyMap<string, string>, timestampMs: number): JsonObject {
  const { message, messages, firstKeptEntryId, after, ...rest } = content;
  if (after !== undefined) return { ...rest, after: places.get(stringOf(after) ?? "") ?? null };
  if (message !== undefined) return { ...rest, message: portableMessage(message, timestampMs) };
  if (firstKeptEntryId !== undefined) return { ...rest, firstKeptEntryId: places.get(stringOf(firstKeptEntryId) ?? "") ?? "" };
  if (messages === undefined) return rest;
  const replaced = (arrayOf(messages) ?? []).flatMap((value) => {
    const one = objectOf(value);
    const entryId = places.get(nonEmpty(one?.["entryId"]) ?? "");
    return entryId === undefined ? [] : [{ entryId, message: portableMessage(one?.["message"], timestampMs) }];
  });
  return { ...rest, messages: replaced };
}

function portableMessage(value: unknown, timestampMs: number): JsonValue {
  const message = objectOf(value) ?? {};
  return (parseMessage(message, timestampMs) as JsonValue | undefined) ?? message;
}
