/** Processor architectures with a filter. */
export type FilteredArchitecture = "x64" | "arm64";

interface Architecture {
  /** `AUDIT_ARCH_…` of the kernel. */
  readonly audit: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly clone: number;
  readonly refused: readonly number[];
}

/** System calls with the same number on all architectures that were added after 2019. */
const NEWER = [
  425,
  426,
  427, // io_uring
  428,
  429,
  430,
  431,
  432,
  433,
  442, // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr
];

const ARCHITECTURES: Readonly<Record<FilteredArchitecture, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    socket: 41,
    ioctl: 16,
    clone: 56,
    // add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, mount, umount2, pivot_root, setns, unshare, kexec_load, kexec_file_load
    refused: [248, 249, 250, 321, 298, 323, 165, 166, 155, 308, 272, 246, 320, ...NEWER],
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    ioctl: 29,
    clone: 220,
    refused: [217, 218, 219, 280, 241, 282, 40, 39, 41, 268, 97, 104, 294, ...NEWER],
  },
};

/** Unix, IPv4, IPv6 and netlink. Others, such as VSOCK, are not separated by network namespaces. */
const ALLOWED_SOCKETS = [1, 2, 10, 16];

/** `TIOCSTI` and `TIOCLINUX`: they type into a terminal. */
const REFUSED_IOCTLS = [0x5412, 0x541c];

/** `CLONE_NEW…`: namespaces of users, mounts, processes, networks, messages, host names and cgroups. */
const NAMESPACES = 0x7e020000;

/** It hides its flags from filters; programs fall back to `clone`. */
const CLONE3 = 435;

const [LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
const [NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT, SECOND_ARGUMENT_AT] = [0, 4, 16, 24];
const ALLOW = 0x7fff0000;
const fails = (errno: number): number => 0x00050000 | errno;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

/** An instruction of a classic BPF program: code, instructions to skip if true and if false, operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

/**
 * A seccomp program, as bubblewrap reads it from a file: it refuses kernel keys, new mounts and namespaces, tracing of the kernel, io_uring, typing into a
 * terminal, and sockets that a network namespace does not separate. Calls of another architecture (32-bit programs) do not exist. Everything else is allowed.
 */
export function seccompFilter(architecture: FilteredArchitecture): Buffer {
  const { audit, socket, ioctl, clone, refused } = ARCHITECTURES[architecture];
  const program: readonly Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [EQUAL, 1, 0, audit],
    [RETURN, 0, 0, fails(ENOSYS)],
    [LOAD, 0, 0, NUMBER_AT],
    // The x32 calls of x86-64.
    [AT_LEAST, 0, 1, 0x40000000],
    [RETURN, 0, 0, fails(ENOSYS)],
    ...refused.flatMap((number) => forCall(number, [[RETURN, 0, 0, fails(EPERM)]])),
    ...forCall(CLONE3, [[RETURN, 0, 0, fails(ENOSYS)]]),
    ...forCall(clone, [
      [LOAD, 0, 0, FIRST_ARGUMENT_AT],
      [ANY_BIT, 0, 1, NAMESPACES],
      [RETURN, 0, 0, fails(EPERM)],
      [RETURN, 0, 0, ALLOW],
    ]),
    ...forCall(socket, [[LOAD, 0, 0, FIRST_ARGUMENT_AT], ...ifOneOf(ALLOWED_SOCKETS, ALLOW, fails(EAFNOSUPPORT))]),
    ...forCall(ioctl, [[LOAD, 0, 0, SECOND_ARGUMENT_AT], ...ifOneOf(REFUSED_IOCTLS, fails(EPERM), ALLOW)]),
    [RETURN, 0, 0, ALLOW],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}

/** Instructions for one system call; they end with a return, because they may replace the loaded number. */
function forCall(number: number, then: readonly Instruction[]): readonly Instruction[] {
  return [[EQUAL, 0, then.length, number], ...then];
}

/** Returns one of two results, by whether the loaded value is in the list. */
function ifOneOf(values: readonly number[], listed: number, other: number): readonly Instruction[] {
  return [
    ...values.map((value, index): Instruction => [EQUAL, values.length - index, 0, value]),
    [RETURN, 0, 0, other],
    [RETURN, 0, 0, listed],
  ];
}
