/** A posted form. */
export interface PostedForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, { readonly name: string; readonly bytes: Uint8Array }>>;
}

/** Parses a multipart body; `undefined` for any other content type, and for one that is malformed or has no boundary. */
export async function parseForm(body: Buffer, contentType: string): Promise<PostedForm | undefined> {
  if (!contentType.startsWith("multipart/form-data")) return undefined;
  const fields: Record<string, string> = {};
  const files: Record<string, { readonly name: string; readonly bytes: Uint8Array }> = {};
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData().catch(() => undefined);
  if (form === undefined) return undefined;
  for (const [name, value] of form) {
    if (typeof value === "string") fields[name] = value;
    else files[name] = { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) };
  }
  return { fields, files };
}
