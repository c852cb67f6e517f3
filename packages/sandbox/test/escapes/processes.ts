import { LIBC, does, python, reads } from "./escape-attempt.ts";
import type { EscapeAttempt } from "./escape-attempt.ts";

/** Attempts to reach other processes. */
export const PROCESS_ESCAPES: readonly EscapeAttempt[] = [
  {
    name: "reads the state through the root of the gateway",
    onHost: "everyone",
    attempt: ({ secret }) => reads(`/proc/${process.pid}/root${secret}`),
    allowed: () => "ls /proc/self/root/usr >/dev/null && echo works",
  },
  {
    name: "reads the state through the root of any process",
    onHost: "everyone",
    attempt: ({ secret }) => reads(`/proc/[0-9]*/root${secret}`),
    allowed: () => "[ -d /proc/$$ ] && echo works",
  },
  {
    name: "reads the state through a folder of another process",
    onHost: "everyone",
    attempt: () => does(`ls /proc/${process.pid}/cwd/`),
    allowed: () => "ls /proc/self/cwd/ >/dev/null && echo works",
  },
  {
    name: "reads the environment of other processes",
    onHost: "everyone",
    attempt: ({ victim }) => `${reads(`/proc/${victim}/environ`)}; ${reads("/proc/[0-9]*/environ")}`,
    allowed: () => "cat /proc/self/environ | tr '\\0' '\\n' | grep -q ^HOME= && echo works",
  },
  {
    name: "gets the gateway's environment",
    onHost: "everyone",
    attempt: () => does("env | grep -E 'FACTOTUM|CHILD'"),
    allowed: () => '[ -n "$PATH" ] && echo works',
  },
  {
    name: "sees a process of the host",
    onHost: "everyone",
    attempt: ({ victim }) => does(`kill -0 ${victim} || grep -qs sleep /proc/${victim}/cmdline`),
    allowed: () => "sleep 100 & kill -0 $! && kill $! && echo works",
  },
  {
    name: "kills every process",
    onHost: "untried",
    attempt: ({ victim }) => `kill -9 -1; kill -9 ${victim} && echo ESCAPED`,
    allowed: () => "sleep 100 & kill -9 $! && echo works",
  },
  {
    name: "traces a process of the host",
    onHost: "root",
    attempt: ({ victim }) => python(LIBC, `if libc.ptrace(16, ${victim}, 0, 0) == 0: print("ESCAPED")`, `libc.ptrace(17, ${victim}, 0, 0)`),
    allowed: () => python(LIBC, `if libc.ptrace(0, 0, 0, 0) == 0: print("works")`),
  },
  {
    name: "writes into the memory of a process of the host",
    onHost: "root",
    attempt: ({ victim }) => python(`open("/proc/${victim}/mem", "r+b")`, `print("ESCAPED")`),
    allowed: () => python(`open("/proc/self/mem", "rb")`, `print("works")`),
  },
  {
    name: "leaves a process behind",
    onHost: "untried",
    attempt: () => "setsid sleep 31415 >/dev/null 2>&1 & disown; echo left",
    allowed: () => "(sleep 0; echo works) & wait",
  },
];
