import { pathToFileURL } from "node:url";
import type { Clock } from "@factotum/agent-contract";
import { createPublicRequester, PageReader, type WebAccess } from "@factotum/tools";
import { assetPath } from "../runtime/assets.ts";

/** What the web tools of every configuration share. */
export interface SharedWeb extends Pick<WebAccess, "request" | "clock"> {
  readonly pages: PageReader;
}

/** Creates the requester and the reader of pages, which starts its thread with the first page. */
export function composeWeb({ clock }: { readonly clock: Clock }): SharedWeb {
  const pages = new PageReader({ clock, worker: pathToFileURL(assetPath("page-worker")) });
  return { clock, pages, request: createPublicRequester({ clock }) };
}
