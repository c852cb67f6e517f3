import { ListStore } from "./list-store.ts";
import { parseList } from "./mcp-server.ts";
import { fingerprintOf, type ServerSettings } from "./server-settings.ts";

/** The server's own names of the tools that it listed when it last ran with these settings; `undefined` if it never did. Starts nothing. */
export function readToolNames(folder: string, server: string, settings: ServerSettings): readonly string[] | undefined {
  const stored = new ListStore(folder).read(server, fingerprintOf(settings));
  return stored === undefined ? undefined : parseList(stored, settings).tools.map(({ name }) => name);
}
