import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfigSchema } from "../build/config-schema.ts";
import { ROOT, workspaceFolders } from "../workspace.ts";

const extensions = workspaceFolders().filter((folder) => folder.startsWith("extensions/"));

/** What channels say: in their own words, those of the kit, and those of their platforms. */
const SHARED = textOf("packages/channel-kit/src/**/*.ts", "packages/testing-channels/src/**/*.ts");

/** Words of servers that the fake platforms do not say. */
const OF_SERVERS = ["the server has banned this host"];

function textOf(...patterns: readonly string[]): string {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).filter((file) => !file.endsWith(".test.ts"));
  return files.map((file) => readFileSync(join(ROOT, file), "utf8").replaceAll(/\$\{[^}]*\}/g, "…")).join("\n");
}

/** First cells of the rows of a table with this head; none if there is no such table. */
function firstCells(text: string, head: string): readonly string[] {
  const start = text.indexOf(head);
  const rows = start === -1 ? [] : (text.slice(start).split("\n\n", 1)[0]?.split("\n").slice(2) ?? []);
  return rows.map((row) => row.split(" | ")[0]?.slice(2) ?? "");
}

/** The parts of a quoted text that stand in the source: what differs is `…`, a number, a name with dots or underscores, or one of the example ("my-…"). */
function fixedParts(quoted: string): readonly string[] {
  return quoted.split(/…|[()\d]+|#?my-\w+_?|\w+(?:[._]\w+)+/).filter((part) => /\w{3}/.test(part));
}

describe.each(extensions)("%s", (folder) => {
  const name = folder.slice("extensions/".length);
  const readme = readFileSync(join(ROOT, folder, "README.md"), "utf8");

  test("its README lists the keys of an account, and no other", async () => {
    const { properties = {} } = (await readConfigSchema(join(ROOT, folder))) as { readonly properties?: object };
    const listed = firstCells(readme, "| key | value |").flatMap((cell) => cell.replaceAll("`", "").split(", "));
    expect(listed).toEqual(Object.keys(properties));
  });

  const page = join(ROOT, "docs", `${name}.md`);
  const guide = existsSync(page) ? readFileSync(page, "utf8") : "";
  const quoted = ["| `status` says", "| an answer fails with"]
    .flatMap((head) => firstCells(guide, head))
    .flatMap((cell) => (cell.startsWith("`") ? [cell.split("`")[1] ?? ""] : []))
    .filter((text) => !text.includes("connected") && !OF_SERVERS.some((words) => text.startsWith(words)));

  test.skipIf(quoted.length === 0)("says what its page quotes", () => {
    const source = `${textOf(`${folder}/{src,test}/**/*.ts`)}\n${SHARED}`;
    expect(quoted.flatMap(fixedParts).filter((part) => !source.includes(part.trim()))).toEqual([]);
  });
});
