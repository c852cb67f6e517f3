import { describe, expect, test } from "vitest";
import { seccompFilter } from "./seccomp-filter.ts";

/** A system call as a filter sees it. */
interface Call {
  readonly number: number;
  readonly architecture?: number;
  readonly first?: number;
  readonly second?: number;
}

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Runs the program like the kernel: `allow`, or the error number. */
function judge(name: "x64" | "arm64", { number, architecture = AUDIT[name], first = 0, second = 0 }: Call): "allow" | number {
  const program = seccompFilter(name);
  const data = new Map([
    [0, number],
    [4, architecture],
    [16, first],
    [24, second],
  ]);
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, ifTrue, ifFalse, operand] = [
      program.readUInt16LE(at),
      program[at + 2] ?? 0,
      program[at + 3] ?? 0,
      program.readUInt32LE(at + 4),
    ];
    const skip = (holds: boolean): void => void (at += 8 * (holds ? ifTrue : ifFalse));
    if (code === 0x20) loaded = data.get(operand) ?? Number.NaN;
    else if (code === 0x15) skip(loaded === operand);
    else if (code === 0x35) skip(loaded >= operand);
    else if (code === 0x45) skip((loaded & operand) !== 0);
    else if (code === 0x06) return operand === 0x7fff0000 ? "allow" : operand & 0xffff;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the program has no end");
}

const NUMBERS = {
  x64: { read: 0, getpid: 39, socket: 41, ioctl: 16, clone: 56, keyctl: 250, mount: 165 },
  arm64: { read: 63, getpid: 172, socket: 198, ioctl: 29, clone: 220, keyctl: 219, mount: 40 },
};

describe.each(["x64", "arm64"] as const)("the filter of %s", (name) => {
  const { read, getpid, socket, ioctl, clone, keyctl, mount } = NUMBERS[name];
  test.each<[string, Call, "allow" | number]>([
    ["reading", { number: read }, "allow"],
    ["a call of any other kind", { number: getpid }, "allow"],
    ["kernel keys", { number: keyctl }, 1],
    ["mounts", { number: mount }, 1],
    ["io_uring", { number: 425 }, 1],
    ["the newer calls for mounts", { number: 442 }, 1],
    ["the call after them", { number: 441 }, "allow"],
    ["clone3, so that clone is used", { number: 435 }, 38],
    ["a new process", { number: clone, first: 17 }, "allow"],
    ["a thread", { number: clone, first: 0x3d0f00 }, "allow"],
    ["a user namespace", { number: clone, first: 0x10000000 | 17 }, 1],
    ["a mount namespace", { number: clone, first: 0x20000 }, 1],
    ["Unix sockets", { number: socket, first: 1 }, "allow"],
    ["IPv4", { number: socket, first: 2 }, "allow"],
    ["IPv6", { number: socket, first: 10 }, "allow"],
    ["netlink, whose number is that of another call", { number: socket, first: 16, second: 0x5412 }, "allow"],
    ["no family", { number: socket, first: 0 }, 97],
    ["the kernel's ciphers", { number: socket, first: 38 }, 97],
    ["VSOCK", { number: socket, first: 40 }, 97],
    ["the size of a terminal", { number: ioctl, second: 0x5413 }, "allow"],
    ["typing into a terminal", { number: ioctl, second: 0x5412 }, 1],
    ["pasting into a console", { number: ioctl, second: 0x541c }, 1],
    ["32-bit calls", { number: read, architecture: 0x40000003 }, 38],
    ["x32 calls", { number: 0x40000000 + getpid }, 38],
  ])("%s", (_name, call, expected) => {
    expect(judge(name, call)).toBe(expected);
  });
});
