import { fileURLToPath } from "node:url";
import type { Range } from "vscode-languageserver-protocol";
import { isObject } from "../is-object.ts";
import type { LspFile } from "../ports.ts";
import { TextLines } from "../text-lines.ts";
import type { Answer } from "./define-tool.ts";
import type { OpenedFile } from "./open-target.ts";

/** A place in a file, as the server counts. */
export interface ServerLocation {
  readonly uri: string;
  readonly range: Range;
}

const MAX_LOCATIONS = 100;
const MAX_LINE_CHARS = 200;

/** Reads `Location`, `LocationLink`, or a list of either; anything else is left out. */
export function parseLocations(answer: unknown): readonly ServerLocation[] {
  const list: readonly unknown[] = Array.isArray(answer) ? (answer as readonly unknown[]) : [answer];
  return list.flatMap((one) => {
    if (!isObject(one)) return [];
    const uri = one["targetUri"] ?? one["uri"];
    const range = one["targetSelectionRange"] ?? one["range"];
    return typeof uri === "string" && isRange(range) ? [{ uri, range }] : [];
  });
}

/** True for a range of the protocol. */
export function isRange(value: unknown): value is Range {
  return isObject(value) && isPosition(value["start"]) && isPosition(value["end"]);
}

function isPosition(value: unknown): boolean {
  return isObject(value) && Number.isSafeInteger(value["line"]) && Number.isSafeInteger(value["character"]);
}

/** The path of an address; `undefined` for one that is no file. */
export function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

/** One line for each place, `path:line:column: text`, in the order of the server. Of files that the run may not read there is no text. */
export async function renderLocations(locations: readonly ServerLocation[], opened: OpenedFile): Promise<Answer> {
  const files = new Map<string, Promise<{ readonly file: LspFile; readonly lines: TextLines } | undefined>>();
  const shown: string[] = [];
  let untrusted = opened.file.untrusted;
  for (const { uri, range } of locations.slice(0, MAX_LOCATIONS)) {
    const path = pathOf(uri);
    if (path === undefined) {
      // The rest of such an address is text of the server.
      shown.push(`[a place that is no file${/^[a-z][a-z0-9+.-]{0,30}:/i.test(uri) ? `, in ${uri.slice(0, uri.indexOf(":"))}` : ""}]`);
      continue;
    }
    const known = files.get(path) ?? readLines(path, opened);
    files.set(path, known);
    const read = await known;
    if (read === undefined) {
      shown.push(`${opened.access.show(path)}:${range.start.line + 1}`);
      continue;
    }
    untrusted ||= read.file.untrusted;
    const place = read.lines.fromServer(range.start, opened.server.encoding);
    const text = read.lines.line(place.line).trim().slice(0, MAX_LINE_CHARS).toWellFormed();
    shown.push(`${read.file.shown}:${place.line + 1}:${place.character + 1}: ${text}`);
  }
  const left = locations.length - shown.length;
  return { text: [...shown, ...(left > 0 ? [`[${left} more are left out.]`] : [])].join("\n"), untrusted };
}

async function readLines(path: string, { access }: OpenedFile): Promise<{ readonly file: LspFile; readonly lines: TextLines } | undefined> {
  try {
    const file = await access.read(path);
    return { file, lines: new TextLines(file.text) };
  } catch {
    return undefined;
  }
}
