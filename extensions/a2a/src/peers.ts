import { constantTimeEqual } from "@factotum/channel-kit";
import type { A2aConfig } from "./config.ts";

/** The peer whose token a request carries; `undefined` for an unknown token. Takes the same time for every token. */
export function authenticate(headers: Headers, { peers }: Pick<A2aConfig, "peers">): string | undefined {
  const given = /^bearer +(?<token>[\x21-\x7e]+) *$/i.exec(headers.get("authorization") ?? "")?.groups?.["token"] ?? "";
  let found: string | undefined;
  for (const [name, { token }] of Object.entries(peers)) if (constantTimeEqual(given, token)) found = name;
  return found;
}
