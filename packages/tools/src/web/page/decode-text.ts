/** Bytes of a page in which its encoding may be named. */
const META_BYTES = 2_048;
const META_CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})/i;
const HEADER_CHARSET = /;\s*charset\s*=\s*["']?\s*([\w:.-]{1,40})/i;

/** Decodes text by its byte order mark, the header, or, for HTML, the page's own statement; otherwise as UTF-8. Never throws. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? HEADER_CHARSET.exec(contentType)?.[1] ?? META_CHARSET.exec(startOf(bytes))?.[1] ?? "utf-8";
  return decoderFor(label).decode(bytes);
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

function startOf(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes.subarray(0, META_BYTES));
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch (error) {
    // A name that is no encoding.
    if (error instanceof RangeError) return new TextDecoder();
    throw error;
  }
}
