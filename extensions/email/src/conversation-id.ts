import { domainToASCII } from "node:url";

const MAX_ADDRESS_LENGTH = 254;

/**
 * An address as an id: in lower case, its domain in ASCII. `undefined` for anything but one plain address: quoted local parts and literal IP addresses are
 * refused, since programs disagree about them.
 */
export function addressId(address: string): string | undefined {
  const [, local, domain = ""] = /^([^\s<>,;:()[\]"\\@\p{Cc}]+)@([^\s<>,;:()[\]"\\@/\p{Cc}]+)$/u.exec(address.trim()) ?? [];
  if (local === undefined) return undefined;
  const ascii = domainToASCII(domain).toLowerCase();
  const id = `${asciiLowerCase(local)}@${ascii}`;
  return ascii.includes(".") && id.length <= MAX_ADDRESS_LENGTH ? id : undefined;
}

/** The domain of an id. */
export function domainOf(id: string): string {
  return id.slice(id.lastIndexOf("@") + 1);
}

/** Letters beyond ASCII stay: some, such as the Kelvin sign, become ASCII letters, and so another person's address. */
function asciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
