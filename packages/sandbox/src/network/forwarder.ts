import { FORWARDER_PORT } from "./proxy-variables.ts";

/** The proxy's socket inside of a sandbox. */
export const SOCKET_IN_SANDBOX = "/run/factotum-proxy.sock";

/** The gateway's Node.js inside of a sandbox: the one program that the machine of every gateway has. */
export const NODE_IN_SANDBOX = "/run/factotum-node";

/** Passes connections to the loopback of the sandbox on to the socket. It closes its output when it listens. */
const PROGRAM = [
  `const net = require("node:net"), fs = require("node:fs"), { pipeline } = require("node:stream");`,
  `const pass = (near) => { const far = net.connect(${JSON.stringify(SOCKET_IN_SANDBOX)}); pipeline(near, far, () => {}); pipeline(far, near, () => {}); };`,
  `net.createServer({ allowHalfOpen: true }, pass).listen(${FORWARDER_PORT}, "127.0.0.1", () => { fs.writeSync(1, "ready"); fs.closeSync(1); });`,
].join(" ");

const MISSING = "The command was not run: the forwarder of its network could not be started, because Node.js does not run in this sandbox.";

/**
 * Starts the forwarder, waits until it listens, and becomes the rest of the words. `$1` is the program. The forwarder ends with the sandbox. Its environment is
 * empty, so that no variable of the command changes what it does.
 */
const SCRIPT = [
  `state=$(env -i ${NODE_IN_SANDBOX} -e "$1" </dev/null 2>/dev/null &)`,
  `[ "$state" = ready ] || { echo "$2"; exit 126; }`,
  `shift 2`,
  `exec "$@"`,
].join("; ");

/** The command line that gives a command of a sandbox its way to the proxy. */
export function withForwarder(words: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", SCRIPT, "sh", PROGRAM, MISSING, ...words];
}
