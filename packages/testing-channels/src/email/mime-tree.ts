/** A part of a mail, as IMAP describes it. */
export interface MimeNode {
  readonly headers: Buffer;
  readonly body: Buffer;
  /** Lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly encoding: string;
  readonly disposition: { readonly type: string; readonly parameters: ReadonlyMap<string, string> } | undefined;
  readonly children: readonly MimeNode[];
}

const MAX_DEPTH = 60;

/** Splits a mail into its parts. */
export function parseMime(source: Buffer, depth = 0): MimeNode {
  const end = endOfHeaders(source);
  const headers = source.subarray(0, end);
  const body = source.subarray(end);
  const fields = fieldsOf(headers);
  const { value, parameters } = parseValue(fields.get("content-type") ?? "text/plain");
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(value) ? value : "text/plain";
  const boundary = parameters.get("boundary");
  const isMultipart = type.startsWith("multipart/") && boundary !== undefined && depth < MAX_DEPTH;
  const disposition = fields.get("content-disposition");
  const parsed = disposition === undefined ? undefined : parseValue(disposition);
  return {
    headers,
    body,
    type: type.startsWith("multipart/") && !isMultipart ? "text/plain" : type,
    parameters,
    encoding: (fields.get("content-transfer-encoding") ?? "7bit").trim().toLowerCase(),
    disposition: parsed === undefined ? undefined : { type: parsed.value, parameters: parsed.parameters },
    children: isMultipart ? splitParts(body, boundary).map((part) => parseMime(part, depth + 1)) : [],
  };
}

/** A part by its number, such as `2.1`; `undefined` if there is none. */
export function findPart(root: MimeNode, number: string): MimeNode | undefined {
  let node: MimeNode | undefined = root;
  for (const index of number.split(".").map(Number)) {
    if (node === undefined) return undefined;
    node = node.children.length > 0 ? node.children[index - 1] : index === 1 && node === root ? root : undefined;
  }
  return node;
}

/** The structure as in a response to FETCH. */
export function renderStructure(node: MimeNode): string {
  const disposition =
    node.disposition === undefined ? "NIL" : `(${quote(node.disposition.type)} ${renderParameters(node.disposition.parameters)})`;
  if (node.children.length > 0) {
    const subtype = node.type.split("/")[1] ?? "mixed";
    return `(${node.children.map(renderStructure).join("")} ${quote(subtype)} ${renderParameters(node.parameters)} ${disposition} NIL NIL)`;
  }
  const [family = "text", subtype = "plain"] = node.type.split("/");
  const lines = family === "text" ? ` ${node.body.toString("latin1").split("\n").length - 1}` : "";
  return `(${quote(family)} ${quote(subtype)} ${renderParameters(node.parameters)} NIL NIL ${quote(node.encoding)} ${node.body.length}${lines} NIL ${disposition} NIL NIL)`;
}

/** The first value of each field, unfolded; names in lower case. */
export function fieldsOf(headers: Buffer): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of headers
    .toString("latin1")
    .replaceAll(/\r?\n(?=[ \t])/g, "")
    .split(/\r?\n/)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon > 0 && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

function endOfHeaders(source: Buffer): number {
  for (const gap of ["\r\n\r\n", "\n\n"]) {
    const at = source.indexOf(gap);
    if (at !== -1) return at + gap.length;
  }
  return source.length;
}

function splitParts(body: Buffer, boundary: string): readonly Buffer[] {
  const text = body.toString("latin1");
  const parts = `\r\n${text}`.split(`\r\n--${boundary}`);
  return parts
    .slice(1)
    .filter((part) => !part.startsWith("--"))
    .map((part) => Buffer.from(part.replace(/^[ \t]*\r\n/, ""), "latin1"));
}

function parseValue(text: string): { readonly value: string; readonly parameters: ReadonlyMap<string, string> } {
  const [value = "", ...rest] = text.match(/(?:"(?:[^"\\]|\\.)*"|[^;])+/g) ?? [];
  const parameters = new Map<string, string>();
  for (const one of rest) {
    const [, name = "", quoted, plain = ""] = /^\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|(\S*))/.exec(one) ?? [];
    if (name !== "") parameters.set(name.toLowerCase(), quoted ?? plain);
  }
  return { value: value.trim().toLowerCase(), parameters };
}

function renderParameters(parameters: ReadonlyMap<string, string>): string {
  return parameters.size === 0 ? "NIL" : `(${[...parameters].map(([name, value]) => `${quote(name)} ${quote(value)}`).join(" ")})`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
