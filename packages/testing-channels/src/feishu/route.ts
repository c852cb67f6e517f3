import type { PostedForm } from "./form.ts";

/** A parsed request. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** For a form instead of a JSON body. */
  readonly form?: PostedForm | undefined;
  readonly bytes: number;
  readonly authorization: string;
}

/** Bytes of a file. */
export interface Resource {
  readonly contentType: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/** The result of a method: data, or a file. */
export type Reply = { readonly data: unknown } | Resource;
/** One method of the API. */
export type Route = readonly [method: string, path: RegExp, handle: (request: ApiRequest, ids: readonly string[]) => Reply];
