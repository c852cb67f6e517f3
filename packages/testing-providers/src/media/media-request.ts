/** A request for media, parsed. */
export interface MediaRequest {
  /** Without the version. */
  readonly path: string;
  /** The header with the key: `Authorization`, or Google's own. */
  readonly authorization: string | undefined;
  /** Fields of a form or of a JSON body; files are not among them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly field: string; readonly name: string; readonly mimeType: string; readonly bytes: Uint8Array }[];
}

/** An answer: JSON, bytes of a type, or none at all. */
export type MediaReply =
  | { readonly type: "json"; readonly status?: number; readonly body: unknown }
  | { readonly type: "bytes"; readonly mimeType: string; readonly bytes: Uint8Array }
  | { readonly type: "page"; readonly status?: number; readonly html: string }
  | { readonly type: "silence" };
