import { connects, makesSocket, python, talksInside } from "./escape-attempt.ts";
import type { EscapeAttempt } from "./escape-attempt.ts";
import { CANARY } from "../sandbox-scene.ts";

/** Attempts to reach the network. */
export const NETWORK_ESCAPES: readonly EscapeAttempt[] = [
  {
    name: "connects to a server of the host",
    onHost: "everyone",
    attempt: ({ tcpPort }) => connects("socket.AF_INET", `("127.0.0.1", ${tcpPort})`),
    allowed: () => talksInside("socket.AF_INET", `("127.0.0.1", 0)`),
  },
  {
    name: "connects by the shell",
    onHost: "everyone",
    attempt: ({ tcpPort }) => `grep -q ${CANARY} </dev/tcp/127.0.0.1/${tcpPort} && echo ESCAPED`,
    allowed: () => "cat </dev/null && echo works",
  },
  {
    name: "connects by an address of IPv6",
    onHost: "everyone",
    attempt: ({ tcpPort }) => connects("socket.AF_INET6", `("::ffff:127.0.0.1", ${tcpPort})`),
    allowed: () => talksInside("socket.AF_INET6", `("::1", 0)`),
  },
  {
    name: "sends a datagram to the host",
    onHost: "everyone",
    attempt: ({ udpPort }) =>
      python(
        "peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "peer.settimeout(2)",
        `peer.sendto(b"x", ("127.0.0.1", ${udpPort}))`,
        `if b"${CANARY}" in peer.recv(100): print("ESCAPED")`,
      ),
    allowed: () =>
      python("one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)", `one.send(b"works")`, "print(two.recv(10).decode())"),
  },
  {
    name: "has a way to other networks",
    onHost: "untried",
    attempt: () => "tail -n +2 /proc/net/route | grep -q . && echo ESCAPED",
    allowed: () => "grep -q lo: /proc/net/dev && echo works",
  },
  {
    name: "connects to an abstract socket of the host",
    onHost: "everyone",
    attempt: ({ abstractName }) => connects("socket.AF_UNIX", `"\\0${abstractName}"`),
    allowed: () => talksInside("socket.AF_UNIX", `"\\0inside"`),
  },
  {
    name: "connects to a socket in the state",
    onHost: "everyone",
    attempt: ({ socket }) => connects("socket.AF_UNIX", `"${socket}"`),
    allowed: () => talksInside("socket.AF_UNIX", `"/tmp/inside.sock"`),
  },
  {
    name: "makes a raw socket",
    onHost: "root",
    attempt: () => makesSocket("socket.AF_INET", "socket.SOCK_RAW", "1"),
    allowed: () => python("socket.socket(socket.AF_INET, socket.SOCK_STREAM)", `print("works")`),
  },
  {
    name: "makes a socket of the link layer",
    onHost: "root",
    attempt: () => makesSocket("socket.AF_PACKET", "socket.SOCK_RAW"),
    allowed: () => python("socket.socketpair()", `print("works")`),
  },
  {
    name: "makes a socket to the machine's host",
    onHost: "untried",
    attempt: () => makesSocket("socket.AF_VSOCK", "socket.SOCK_STREAM"),
    allowed: () => python("socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)", `print("works")`),
  },
  {
    name: "makes a socket of the kernel's ciphers",
    onHost: "untried",
    attempt: () => makesSocket("socket.AF_ALG", "socket.SOCK_SEQPACKET"),
    allowed: () => python("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", `print("works")`),
  },
];
