import type { RefusedRequest } from "../forward-proxy/forward-proxy.ts";
import type { BrowserCall } from "./browser-schema.ts";

/** How the program starts a browser: the first line of its standard input. */
export interface BrowserStart {
  /** Begins each line of its output that is for the gateway. */
  readonly mark: string;
  /** File of the library that controls browsers. */
  readonly library: string;
  readonly executable: string;
  readonly headless: boolean;
  /** The kernel's own confinement of the browser's processes; it does not work for root. */
  readonly confined: boolean;
  /** The browser's data. */
  readonly profileFolder: string;
  /** For screenshots, documents and downloads, until the gateway takes them. */
  readonly exchangeFolder: string;
  /** Hosts that may be reached; absent: the open internet. */
  readonly allow?: readonly string[];
  /** Places that are not public and that may be reached, as `parsePrivatePlaces` reads them. */
  readonly allowPrivate: readonly string[];
  /** Of each session. */
  readonly maxTabs: number;
  readonly maxResultChars: number;
}

/** One line of its standard input. */
export interface BrowserRequest {
  readonly id: number;
  /** Tabs of one session are unknown to others. */
  readonly session: string;
  /** `describe`: what elements are, for the owner who decides about a call. `upload` has the paths of copies. */
  readonly call: BrowserCall | { readonly action: "describe"; readonly refs: readonly string[]; readonly tab?: string | undefined };
}

/** A file that a page has sent. */
export interface BrowserDownload {
  /** In the exchange folder. */
  readonly file: string;
  /** As the page names it. */
  readonly name: string;
  readonly sizeBytes: number;
}

/** One line of its standard output, after the mark. */
export type BrowserReply =
  | { readonly type: "ready" }
  /** The browser did not start. */
  | { readonly type: "unusable"; readonly message: string }
  /** A host that the proxy has refused. */
  | ({ readonly type: "refused" } & RefusedRequest)
  | BrowserAnswer;

/** What became of a request. */
export interface BrowserAnswer {
  readonly type: "answer";
  readonly id: number;
  readonly isError: boolean;
  readonly text: string;
  /** A file in the exchange folder that the call has made. */
  readonly file?: string;
  /** Since the session's last answer. */
  readonly downloads: readonly BrowserDownload[];
}
