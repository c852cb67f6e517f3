/** What the demo model understands of a message. */
export type Wish =
  | { readonly type: "list"; readonly path: string }
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "write"; readonly path: string; readonly content: string | undefined }
  | { readonly type: "run"; readonly command: string }
  | { readonly type: "talk" };

/** A file name as people write it: a path with an extension, in quotes or not; Chinese names too. */
const FILE = String.raw`["'“‘「\x60]?((?:[\w.~-]|[\u4e00-\u9fff]|/)*(?:\w|[\u4e00-\u9fff])\.[A-Za-z0-9]{1,8})["'”’」\x60]?`;

const WRITE_ENGLISH = new RegExp(
  String.raw`\b(?:write|create|make|save|add)\b[^\n]*?\s${FILE}(?:(?:\s*,)?\s*(?:with|containing|saying|that says|that contains|and (?:write|put))\s*(?:the\s+)?(?:text|contents?|words?|line)?\s*[:,]?\s*([\s\S]+))?`,
  "i",
);
const WRITE_CHINESE = new RegExp(
  String.raw`(?:写入|写|创建|新建|生成|保存)[^\n]*?${FILE}(?:[^\n]*?(?:内容|写上|写着|写入)(?:是|为)?\s*[:：]?\s*([\s\S]+))?`,
);
const READ = new RegExp(
  String.raw`(?:\b(?:read|open|show|cat|print|display)\b|读取|阅读|读|打开|查看|看看|显示)[^\n]*?(?:\s|[\u4e00-\u9fff]|(?=["'“‘「\x60]))${FILE}`,
  "i",
);
const RUN = /(?:\b(?:run|execute)\b|运行|执行)\s*(?:the\s+)?(?:command|命令)?\s*[:：]?\s*(\S[^\n]*)/i;
const LIST =
  /\b(?:list|show|see|which|what)\b[^\n]*\b(?:files?|folders?|director(?:y|ies)|workspace)\b|^\s*ls\b|\bls$|列出[^\n]*|(?:有(?:哪些|什么)|查看|看看|显示)[^\n]*(?:文件|目录|文件夹)|(?:文件|目录|文件夹)[^\n]*有(?:哪些|什么)/i;
const LIST_PLACE =
  /\b(?:in|of|under)\s+(?:the\s+)?(?:folder|directory)?\s*["'`]?((?:\.{0,2}\/)?[\w.-]+(?:\/[\w.-]+)*)["'`]?\s*(?:folder|directory)?\s*[.?!]?$/i;
const NO_PLACE = /^(?:workspace|folder|directory|here|it|this|there|current|my)$/i;

/** Reads a wish from plain English or Chinese. Writing comes first, since a wish to write often names what is to be shown. */
export function findWish(text: string): Wish {
  const write = WRITE_CHINESE.exec(text) ?? WRITE_ENGLISH.exec(text);
  if (write?.[1] !== undefined) return { type: "write", path: write[1], content: unquote(write[2]) };
  const run = RUN.exec(text)?.[1];
  if (run !== undefined) return { type: "run", command: unquote(run) ?? run };
  const path = READ.exec(text)?.[1];
  if (path !== undefined) return { type: "read", path };
  if (!LIST.test(text)) return { type: "talk" };
  const place = LIST_PLACE.exec(text.trim())?.[1];
  return { type: "list", path: place === undefined || NO_PLACE.test(place) ? "." : place };
}

function unquote(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === "") return undefined;
  return /^(["'`]|“|「)([\s\S]+)(["'`]|”|」)[.。!]?$/.exec(trimmed)?.[2] ?? trimmed;
}

/** True when the message is mostly Chinese, so that the answer is too. */
export function isChinese(text: string): boolean {
  const han = text.match(/[\u4e00-\u9fff]/g)?.length ?? 0;
  const latin = text.match(/[A-Za-z]+/g)?.length ?? 0;
  return han > latin;
}
