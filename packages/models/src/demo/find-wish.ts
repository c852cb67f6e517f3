/** A request that the demo model understands. */
export type Wish =
  | { readonly type: "list"; readonly path: string }
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "write"; readonly path: string; readonly content: string | undefined }
  | { readonly type: "run"; readonly command: string }
  | { readonly type: "talk" };

/** A request is at the start of a message; later text can only be the content of a file. Keeps the search short for any input. */
const LONGEST_WISH = 600;

const WRITE = /\b(?:write|create|make|save|add)\b|写入|写|创建|新建|生成|保存/i;
/** A wish for a file that names none. */
const NEW_FILE =
  /\b(?:write|create|make|save|add)\s+(?:me\s+)?(?:a|an|another|some)\s+(?:\w+\s+)?file\b|(?:写|创建|新建|生成)(?:一个|个)?(?:新)?文件/i;
/** The file comes before the verb. */
const WRITE_IN =
  /(?:在|往|到)\s*["'“「`]?([\w./~-]{1,120}\.[A-Za-z0-9]{1,8})["'”」`]?\s*(?:文件)?\s*(?:里面|中|里|内)?\s*(?:写入|写|保存|添加)/;
const READ = /\b(?:read|open|show|cat|print|display)\b|读取|阅读|读|打开|查看|看看|显示/i;
const RUN = /(?:\b(?:run|execute)\b|运行|执行)\s*(?:the\s+)?(?:command|命令)?\s*[:：]?\s*(\S[^\n]*)/i;
const LIST =
  /\b(?:list|show|see|which|what)\b[^\n]*\b(?:files?|folders?|director(?:y|ies)|workspace)\b|^\s*ls\b|列出|(?:有(?:哪些|什么)|查看|看看|显示)[^\n]*(?:文件|目录)|(?:文件|目录)[^\n]*有(?:哪些|什么)/i;
const LIST_PLACE =
  /\b(?:in|of|under)\s+(?:the\s+)?(?:folder\s+|directory\s+)?["'`]?((?:\.{0,2}\/)?[\w.-]{1,60}(?:\/[\w.-]{1,60}){0,9})["'`]?(?:\s+(?:folder|directory))?[.?!]?$/i;
const NO_PLACE = /^(?:workspace|folder|directory|here|it|this|there|current|my)$/i;

/** A file name, in quotes or as a word with an extension; in Chinese text it may directly follow another word. */
const FILE_NAMES: readonly RegExp[] = [
  /["'“‘「`]([^"'”’」`\n]{1,120}\.[A-Za-z0-9]{1,8})["'”’」`]/,
  /((?:\.{0,2}\/)?[\w~-][\w./~-]{0,120}\.[A-Za-z0-9]{1,8})(?!\w)/,
  /(?:一个|文件|名为|叫做|叫|\s)*([\w./~\u4e00-\u9fff-]{1,120}\.[A-Za-z0-9]{1,8})(?!\w)/,
];
const CONTENT =
  /^["'”’」`]?\s*,?\s*(?:with|containing|saying|that (?:says|contains)|and (?:write|put))\b\s*(?:the\s+)?(?:text|contents?|words?|line)?\s*[:,]?\s*/i;
const CONTENT_CHINESE = /^[^\n]{0,30}?(?:内容|写上|写着|写入)(?:是|为)?\s*[:：]?\s*/;

/** Parses a request in plain English or Chinese. Writing is checked first, since a write request often mentions a file to show. */
export function findWish(text: string): Wish {
  const head = text.slice(0, LONGEST_WISH);
  const target = findFile(head, WRITE) ?? findPlace(head);
  if (target !== undefined) return { type: "write", path: target.path, content: findContent(text.slice(target.endIndex)) };
  if (NEW_FILE.test(head)) return { type: "write", path: "hello.txt", content: undefined };
  const run = RUN.exec(head)?.[1];
  if (run !== undefined) return { type: "run", command: unquote(run) ?? run };
  const source = findFile(head, READ);
  if (source !== undefined) return { type: "read", path: source.path };
  if (!LIST.test(head)) return { type: "talk" };
  const place = LIST_PLACE.exec(head.trim())?.[1];
  return { type: "list", path: place === undefined || NO_PLACE.test(place) ? "." : place };
}

/** The file named after the verb, on the same line. */
function findFile(text: string, verb: RegExp): { readonly path: string; readonly endIndex: number } | undefined {
  const found = verb.exec(text);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const line = text.slice(start).split("\n", 1)[0] ?? "";
  for (const pattern of FILE_NAMES) {
    const name = pattern.exec(line);
    if (name?.[1] !== undefined) return { path: name[1], endIndex: start + name.index + name[0].length };
  }
  return undefined;
}

function findPlace(text: string): ReturnType<typeof findFile> {
  const found = WRITE_IN.exec(text);
  return found?.[1] === undefined ? undefined : { path: found[1], endIndex: found.index + found[0].length };
}

function findContent(rest: string): string | undefined {
  const lead = CONTENT.exec(rest) ?? CONTENT_CHINESE.exec(rest);
  return lead === null ? undefined : unquote(rest.slice(lead[0].length));
}

function unquote(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const isQuoted = /^["'`“「]/.test(trimmed) && /["'`”」][.。!]?$/.test(trimmed) && trimmed.length > 2;
  return isQuoted ? trimmed.slice(1).replace(/["'`”」][.。!]?$/, "") : trimmed;
}

/** True if the message is mostly Chinese, so that the answer is too. */
export function isChinese(text: string): boolean {
  const head = text.slice(0, LONGEST_WISH);
  const han = head.match(/[\u4e00-\u9fff]/g)?.length ?? 0;
  const latin = head.match(/[A-Za-z]+/g)?.length ?? 0;
  return han > latin;
}
