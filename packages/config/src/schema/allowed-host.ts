import { isIP } from "node:net";
import * as z from "zod";

const NAME = /^(?:\*\.)?(?=.{1,253}$)(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?$/i;

/** A host that may be reached: a name, all names below one (`*.example.com`) or an address, optionally with a port. Addresses of IPv6 with a port need brackets. */
export const AllowedHostSchema: z.ZodString = z
  .string()
  .refine(
    isAllowedHost,
    "expected a host name, *.name or an address, optionally with a port, such as a.example or [::1]:8080; no scheme, path or network",
  );

function isAllowedHost(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, bracketed, plain = "", port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  // What looks like an address but is not one, such as 127.1, is read in several ways.
  return isIP(plain) === 4 || (NAME.test(plain) && !/^[\d.]+$|^0x/i.test(plain));
}
