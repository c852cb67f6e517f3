import type { Store } from "../port/store.ts";
import { renderEntry, renderHeader } from "./render-session-file.ts";
import type { SessionFileHeader } from "./render-session-file.ts";

/** Yields a session's plain file line by line from the store. */
export async function* exportSession(store: Store, header: SessionFileHeader): AsyncIterable<string> {
  yield renderHeader(header);
  for await (const entry of store.exportTranscript(header.sessionId)) yield renderEntry(entry);
}
