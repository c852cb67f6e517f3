import { does, isOfHost, reads } from "./escape-attempt.ts";
import type { EscapeAttempt } from "./escape-attempt.ts";

/** Attempts to reach files. */
export const FILE_ESCAPES: readonly EscapeAttempt[] = [
  {
    name: "reads the state by its path",
    onHost: "everyone",
    attempt: ({ secret }) => reads(secret),
    allowed: () => "echo works >own && cat own",
  },
  {
    name: "reads the configuration",
    onHost: "everyone",
    attempt: ({ config }) => reads(config),
    allowed: () => "cd /usr/share && echo works",
  },
  {
    name: "lists the state",
    onHost: "everyone",
    attempt: ({ home }) => does(`ls ${home}/state/secret.txt`),
    allowed: () => "ls -a . >/dev/null && echo works",
  },
  {
    name: "reads the state relative to the workspace",
    onHost: "everyone",
    attempt: () => reads("../../state/secret.txt"),
    allowed: () => "mkdir -p a/b && echo works >a/f && cat a/b/../f",
  },
  {
    name: "follows a symbolic link out of the workspace",
    onHost: "everyone",
    attempt: ({ home }) => `ln -sfn ${home}/state out; ${reads("out/secret.txt")}`,
    allowed: () => "echo works >target && ln -sf target link && cat link",
  },
  {
    name: "makes a hard link to a secret",
    onHost: "everyone",
    attempt: ({ secret }) => `ln -f ${secret} hard; ${reads("hard")}; rm -f hard`,
    allowed: () => "echo works >one && ln -f one two && cat two",
  },
  {
    name: "changes a skill",
    onHost: "untried",
    attempt: ({ skill }) => does(`echo changed >>${skill}`),
    allowed: ({ skill }) => `grep -q skill-text ${skill} && echo works`,
  },
  {
    name: "replaces a skill's folder",
    onHost: "untried",
    attempt: ({ home }) => does(`mv ${home}/skills ${home}/other || rm -rf ${home}/skills/one`),
    allowed: ({ home }) => `ls ${home}/skills/one >/dev/null && echo works`,
  },
  {
    name: "writes next to its workspace",
    onHost: "untried",
    attempt: ({ home }) => `touch ${home}/state/planted ${home}/sandboxes/planted ${home}/planted`,
    allowed: () => "touch planted && echo works",
  },
  {
    name: "writes to the system",
    onHost: "untried",
    attempt: () => does("touch /usr/planted || touch /etc/planted || touch /planted || touch /dev/planted"),
    allowed: () => "touch /tmp/f /dev/shm/f && echo works",
    inContainer: { attempt: () => does("touch /usr/planted || touch /etc/planted || touch /planted") },
  },
  {
    name: "reads the passwords of the system",
    onHost: "root",
    attempt: () => does("cat /etc/shadow"),
    allowed: () => "grep -q sandbox /etc/passwd && echo works",
    inContainer: { attempt: () => isOfHost("/etc/shadow"), allowed: () => "grep -q root /etc/passwd && echo works" },
  },
  {
    name: "reads temporary files of the host",
    onHost: "everyone",
    attempt: ({ temporary }) => reads(temporary),
    allowed: () => "file=$(mktemp) && echo works >$file && cat $file",
  },
  {
    name: "reads the home of the account",
    onHost: "root",
    attempt: () => does("ls /root/.bashrc || ls /home/*/.bashrc"),
    allowed: () => 'touch "$HOME/f" && echo works',
    inContainer: { attempt: () => isOfHost("/root") },
  },
  {
    name: "sees devices of disks and the kernel",
    onHost: "everyone",
    attempt: () => does("ls /dev/kmsg || ls /dev/mem || ls /dev/sda || ls /dev/vda"),
    allowed: () => "head -c 4 /dev/urandom >/dev/null && echo works",
  },
  {
    name: "makes a device",
    onHost: "root",
    attempt: () => `${does("mknod device c 1 3")}; rm -f device`,
    allowed: () => "mkfifo queue && rm queue && echo works",
  },
  {
    name: "reads the tree of devices",
    onHost: "everyone",
    attempt: () => does("ls /sys/class || ls /sys/fs/cgroup"),
    allowed: () => "ls /proc/self/status >/dev/null && echo works",
    // It is shown there, read-only.
    inContainer: { attempt: () => does("mkdir /sys/fs/cgroup/planted || mkdir /sys/fs/cgroup/pids/planted || echo 1 >/sys/power/state") },
  },
  {
    name: "finds a control socket of the host",
    onHost: "untried",
    attempt: () => does("ls /run/docker.sock || ls /var/run/docker.sock || ls /run/dbus || ls /run/systemd"),
    allowed: () => "[ -d /run ] && echo works",
  },
];
