/** What people use commands for; each prints `works`. */
export const EVERYDAY_COMMANDS: readonly (readonly [name: string, command: string])[] = [
  ["python", '/usr/bin/python3 -c \'import json, hashlib, subprocess; print(subprocess.check_output(["echo", "works"]).decode())\''],
  ["bash", `[[ -n "$BASH_VERSION" ]] && diff <(echo a) <(echo a) && echo works`],
  [
    "git",
    "git init -q r && cd r && git config user.email a@b.c && git config user.name a && echo x >f && git add f && git commit -qm first && git log --oneline | grep -q first && echo works",
  ],
  ["awk and sed", "printf '1\\n2\\n' | awk '{ s += $1 } END { print s }' | sed s/3/works/"],
  ["perl", "perl -e 'print \"works\\n\"'"],
  ["archives", "echo works >f && tar czf f.tgz f && rm f && tar xzf f.tgz && cat f"],
  [
    "threads",
    `/usr/bin/python3 -c 'import threading; t = [threading.Thread(target=lambda: None) for _ in range(20)]; [x.start() for x in t]; [x.join() for x in t]; print("works")'`,
  ],
  ["a user's name", "[ $(id -un) = sandbox ] && echo works"],
  ["the time zone", "date +%Z | grep -q . && echo works"],
  ["standard error", "echo works >&2"],
];
