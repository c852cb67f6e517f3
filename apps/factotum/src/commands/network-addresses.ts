import { networkInterfaces, type NetworkInterfaceInfo } from "node:os";
import { isLoopbackBind } from "@factotum/config";
import { addressOf } from "./address-of.ts";

/** Interfaces of containers and virtual machines, which no phone can reach. */
const VIRTUAL = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|podman|cni|lxc)/;

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** The addresses under which other machines reach a gateway with this `bind`, real interfaces first; none for loopback. */
export function networkUrls(bind: string, port: number, interfaces: Interfaces = networkInterfaces()): readonly string[] {
  if (isLoopbackBind(bind)) return [];
  const hosts = bind === "lan" || bind === "0.0.0.0" || bind === "::" ? ownAddresses(interfaces) : [bind];
  return hosts.map((host) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`);
}

function ownAddresses(interfaces: Interfaces): readonly string[] {
  const found = Object.entries(interfaces).flatMap(([name, entries = []]) =>
    entries.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => ({ name, address })),
  );
  const real = found.filter(({ name, address }) => !VIRTUAL.test(name) && !address.startsWith("169.254."));
  return (real.length > 0 ? real : found).map(({ address }) => address);
}

/**
 * How to reach the gateway from another device: its addresses, a QR code of the first one for a phone, and a warning about missing encryption. Empty if only
 * this machine can reach it. Without a token, as in a log, there is no code.
 */
export async function describeNetwork(urls: readonly string[], token: string | undefined): Promise<string> {
  const [first] = urls;
  if (first === undefined) return "";
  const lines = urls.map((url) => `  ${addressOf(url, token)}\n`).join("");
  const warning =
    "The token travels unencrypted there: use these addresses only in a network that you trust, or put a reverse proxy with TLS in front.\n";
  if (token === undefined) return `On your network:\n${lines}${warning}`;
  const { renderUnicodeCompact } = await import("uqr");
  return `On your network:\n${lines}\n${renderUnicodeCompact(addressOf(first, token), { border: 2 })}\n\n${warning}`;
}
