import { headOf } from "../text/cut-text.ts";
import type { MediaFacts } from "./effective-prompt-facts.ts";

const MAX_NAME_CHARS = 200;
const NOT_IN_NAMES = /[^\p{L}\p{N}._-]/gu;
const NOT_IN_LOCATIONS = /[^\p{L}\p{N}:/._~-]/gu;
/** A path without these characters cannot end its line or brackets, or imitate another path. */
const NOT_IN_PATHS = /[\p{C}\p{Zl}\p{Zp}[\]]/u;
const MAX_PATH_CHARS = 1_000;
const MIME_TYPE = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,80}$/;

/** One line per attachment with its type and location. The images themselves are part 4. */
export function renderMediaNote(media: readonly MediaFacts[]): readonly string[] {
  return media.map((one, index) => {
    const counter = media.length === 1 ? "" : ` ${index + 1}/${media.length}`;
    return `[media attached${counter}: ${describe(one)}]`;
  });
}

/** Keeps letters, digits and `._-`, at most 200 characters; `file` if nothing is left. */
export function sanitizeFileName(name: string): string {
  const kept = name.toWellFormed().normalize("NFC").replace(NOT_IN_NAMES, "");
  return Array.from(kept).slice(0, MAX_NAME_CHARS).join("") || "file";
}

function describe({ location, path, fileName, mimeType, omitted, transcription }: MediaFacts): string {
  const name = fileName === undefined ? undefined : sanitizeFileName(fileName);
  const details = [
    ...(mimeType !== undefined && MIME_TYPE.test(mimeType) ? [mimeType] : []),
    ...(location !== undefined && name !== undefined ? [name] : []),
    ...(path === undefined || path.length > MAX_PATH_CHARS || NOT_IN_PATHS.test(path) ? [] : [`file: ${path}`]),
    ...(omitted === undefined ? [] : [OMITTED[omitted]]),
    ...(transcription === undefined ? [] : [TRANSCRIPTION[transcription]]),
  ];
  const what = location === undefined ? (name ?? "file") : cleanLocation(location);
  return details.length === 0 ? what : `${what} (${details.join(", ")})`;
}

const OMITTED: Readonly<Record<NonNullable<MediaFacts["omitted"]>, string>> = {
  "text-only": "not shown: this model takes no images",
  "too-large": "not shown: too large",
  "too-many": "not shown: too many files in one message",
  unreadable: "not shown: damaged or of an unsupported type",
  "not-allowed": "not shown: outside the folders that tools may read",
  "no-tool": "not shown: this conversation has no tool that reads files",
  unavailable: "could not be fetched; if you need it, ask the user to send it again",
};

const TRANSCRIPTION: Readonly<Record<NonNullable<MediaFacts["transcription"]>, string>> = {
  done: "transcribed by a program: the message has the words",
  "no-speech": "transcribed by a program: nothing was said",
  "too-large": "not transcribed: too large",
  "too-long": "not transcribed: too long",
  "too-many": "not transcribed: too many recordings in one message",
  "not-audio": "not transcribed: no recording",
  timeout: "not transcribed: it took too long",
  failed: "not transcribed: the transcription failed",
};

function cleanLocation(location: string): string {
  return headOf(location.replace(NOT_IN_LOCATIONS, "_"), 2 * MAX_NAME_CHARS);
}
