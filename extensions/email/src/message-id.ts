import { createHash } from "node:crypto";
import { domainOf } from "./conversation-id.ts";

/** Marks ids of this program: `<key.thread.factotum@domain>`, without a thread for a mail that begins one. */
const OWN = /^<[0-9a-f]{32}(?:\.([0-9a-f]{24}))?\.factotum@([^>]+)>$/;

const MESSAGE_ID = /^<[^\s<>\p{Cc}]{1,250}>$/u;

/** The part of the ids of this account by which a server's search finds them. */
export function ownMarker(address: string): string {
  return `.factotum@${domainOf(address)}`;
}

/** The Message-ID of a send, the same for every attempt. `root` is the id of the first mail of its thread. */
export function messageIdOf(
  idempotencyKey: string,
  { address, root }: { readonly address: string; readonly root: string | undefined },
): string {
  const thread = root === undefined ? "" : `.${threadHash(root)}`;
  return `<${hash(idempotencyKey, 32)}${thread}${ownMarker(address)}>`;
}

/** A short name of a thread. */
export function threadHash(root: string): string {
  return hash(root, 24);
}

/** The thread of an id of this account, by its hash; `undefined` for a mail of this account that begins one. */
export function parseOwnId(id: string, address: string): { readonly thread: string | undefined } | undefined {
  const [all, thread, domain] = OWN.exec(id) ?? [];
  return all === undefined || domain !== domainOf(address) ? undefined : { thread };
}

/** True for an id that can stand in headers. */
export function isMessageId(id: string): boolean {
  return MESSAGE_ID.test(id);
}

/** An id for a mail that has none, or none that can be used; always the same for the same headers. */
export function idOfHeaders(headers: Uint8Array): string {
  return `<${createHash("sha256").update(headers).digest("hex").slice(0, 40)}@without-id.invalid>`;
}

function hash(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}
