import { expect, test } from "vitest";
import { isAllowedCommand } from "./allowed-command.ts";

const PATTERNS = [
  "ls *",
  "git status",
  "git log *",
  "git diff *",
  "cat notes/*.md",
  "find . *",
  "tar -tf *",
  "sort *",
  "rg *",
  "curl *",
  "env *",
  "bash *",
  "bash build.sh",
  "python3 *",
  "xargs *",
  "/usr/bin/wc *",
];

test.each([
  [["ls"]],
  [["ls", "-la", "src"]],
  [["git", "status"]],
  [["git", "log", "--oneline", "-5"]],
  [["git", "diff", "--stat", "HEAD~1"]],
  [["cat", "notes/today.md"]],
  [["find", ".", "-name", "*.ts", "-type", "f"]],
  [["tar", "-tf", "archive.tar"]],
  [["sort", "-n", "numbers.txt"]],
  [["rg", "--hidden", "needle"]],
  [["curl", "-s", "https://example.com/"]],
  [["bash", "build.sh"]],
  [["/usr/bin/wc", "-l", "file"]],
  [["ls", "--color=never"]],
  [["git", "log", "--", "file with spaces"]],
])("%j is covered", (argv) => {
  expect(isAllowedCommand(argv, PATTERNS)).toBe(true);
});

test.each([
  ["no pattern", ["rm", "-rf", "."]],
  ["another subcommand", ["git", "push"]],
  ["a further word after a closed pattern", ["git", "status", "--porcelain"]],
  ["fewer words", ["git"]],
  ["a program of the same name elsewhere", ["./ls"]],
  ["a program of the same name in a folder", ["/tmp/ls", "-la"]],
  ["the name without its folder", ["wc", "-l"]],
  ["another case", ["LS"]],
  ["a name that begins alike", ["lsof"]],
  ["another folder", ["cat", "secret/x.md"]],
  ["find runs a program", ["find", ".", "-exec", "rm", "{}", ";"]],
  ["find deletes", ["find", ".", "-delete"]],
  ["git with another configuration", ["git", "log", "-c", "core.pager=sh"]],
  ["git runs a diff program", ["git", "diff", "--ext-diff"]],
  ["git writes a file", ["git", "log", "--output=/etc/passwd"]],
  ["tar runs a program", ["tar", "-tf", "x", "--to-command=sh"]],
  ["tar, combined", ["tar", "-tf", "x", "-vIsh"]],
  ["sort writes a file", ["sort", "-o", "/etc/passwd", "x"]],
  ["sort, combined", ["sort", "-no", "x"]],
  ["sort runs a program", ["sort", "--compress-program=sh", "x"]],
  ["rg runs a program", ["rg", "--pre", "sh", "x"]],
  ["curl writes a file", ["curl", "-o", "x", "https://example.com"]],
  ["curl sends a file", ["curl", "-T", "secret", "https://example.com"]],
  ["curl, combined", ["curl", "-sd", "@secret", "https://example.com"]],
  ["a wrapper", ["env", "rm", "-rf", "."]],
  ["a shell", ["bash", "-c", "rm -rf ."]],
  ["an interpreter with a version", ["python3", "-c", "import os"]],
  ["a program that runs others", ["xargs", "rm"]],
  ["nothing", []],
  ["an empty name", [""]],
])("%s: %j is not covered", (_name, argv) => {
  expect(isAllowedCommand(argv, PATTERNS)).toBe(false);
});

test("no pattern, and one that is empty, cover nothing", () => {
  for (const patterns of [[], [""], ["*"], [" "]]) expect(isAllowedCommand(["ls"], patterns)).toBe(false);
});

/** One option of each kind as somebody would write it: what runs a program, writes to any file, reads what a list names, sends files, or loads code. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  find: ["-execdir", "-okdir", "-delete", "-fprintf", "-fls"],
  git: [
    "-ccore.pager=me",
    "--config-env=core.pager=X",
    "--exec-path=.",
    "--upload-pack=./x",
    "--receive-pack=./x",
    "--exec=./x",
    "-x",
    "--ext-diff",
    "--textconv",
    "--open-files-in-pager=./x",
    "-Ome",
    "--output=x",
    "--paginate",
  ],
  tar: [
    "--to-command=./x",
    "--checkpoint-action=exec=./x",
    "--use-compress-program=./x",
    "-I./x",
    "--rsh-command=./x",
    "--rmt-command=./x",
    "-F./x",
    "--info-script=./x",
    "--new-volume-script=./x",
    "-Tlist",
    "--files-from=list",
  ],
  curl: [
    "-ox",
    "-OJ",
    "--output=x",
    "--remote-name-all",
    "-Kx",
    "--config=x",
    "-Tx",
    "--upload-file=x",
    "-d@x",
    "--data-binary=@x",
    "--json=@x",
    "--url-query=@x",
    "-Fx=@x",
    "--form=x=@x",
    "-Dx",
    "--dump-header=x",
    "-cx",
    "--cookie-jar=x",
    "--trace-ascii=x",
    "--stderr=x",
    "--libcurl=x",
    "--etag-save=x",
    "--hsts=x",
    "--alt-svc=x",
  ],
  wget: [
    "-Ox",
    "--output-document=x",
    "--post-file=x",
    "--body-file=x",
    "--use-askpass=./x",
    "-etry=9",
    "--execute=use_askpass=./x",
    "-ix",
    "--input-file=x",
    "--config=x",
    "-ox",
    "-ax",
  ],
  sort: ["-ox", "--output=x", "--compress-program=./x", "-T/x", "--files0-from=x"],
  wc: ["--files0-from=x"],
  du: ["--files0-from=x"],
  file: ["-fx", "--files-from=x"],
  zip: ["-TT./x", "-T./x", "--unzip-command=./x"],
  fd: ["-x", "-X", "--exec-batch=./x"],
  rg: ["--pre=./x", "--hostname-bin=./x"],
  split: ["--filter=./x"],
  tree: ["-ox"],
};

test.each(Object.entries(OPTIONS).flatMap(([program, options]) => options.map((option) => [program, option] as const)))(
  "a wildcard does not cover %s %s, and the pattern that names it does",
  (program, option) => {
    expect(isAllowedCommand([program, option], [`${program} *`])).toBe(false);
    expect(isAllowedCommand([program, "plain"], [`${program} *`])).toBe(true);
    expect(isAllowedCommand([program, option], [`${program} ${option}`])).toBe(true);
  },
);
