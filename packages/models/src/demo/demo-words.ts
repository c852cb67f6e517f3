/** All texts of the demo model, in one language. */
export interface DemoWords {
  /** Shown with the first final answer of a conversation: what this is, and how to get a real model. */
  readonly notice: string;
  readonly help: string;
  readonly nothingSaid: string;
  announce(wish: "list" | "read" | "write" | "run", subject: string): string;
  missing(tool: string): string;
  listed(count: number): string;
  readonly emptyFolder: string;
  wasRead(path: string): string;
  wasWritten(result: string): string;
  readonly ran: string;
  failed(result: string): string;
  other(tool: string): string;
  more(lines: number): string;
  /** Content of a new file if the request gives none. */
  readonly sampleContent: string;
}

const ENGLISH: DemoWords = {
  notice:
    "_This is the demo model: it follows a small script and understands only a few requests. For a real model, choose a provider in the page (Settings), or run `factotum setup`._",
  help: 'Hello! I can show you how an assistant works with tools. Try one of these:\n\n- "list the files"\n- "read AGENTS.md"\n- "write a file hello.txt with Hello, world"\n- "run echo hello"',
  nothingSaid: "There is nothing for me to answer yet.",
  announce(wish, subject) {
    if (wish === "list") return `Demo model here. I look into ${subject === "." ? "the workspace" : `\`${subject}\``}.`;
    if (wish === "read") return `Demo model here. I open \`${subject}\`.`;
    if (wish === "write") return `Demo model here. I write \`${subject}\`.`;
    return `Demo model here. I run \`${subject}\`.`;
  },
  missing: (tool) => `For that I would need the tool \`${tool}\`, and it is not available in this conversation.`,
  listed: (count) => (count === 1 ? "There is one entry:" : `There are ${count} entries:`),
  emptyFolder: "The folder is empty.",
  wasRead: (path) => `This is in \`${path}\`:`,
  wasWritten: (result) => `Done. The tool says: ${result}`,
  ran: "The command's output:",
  failed: (result) => `That did not work. The tool says:\n\n${result}`,
  other: (tool) => `The tool \`${tool}\` answered:`,
  more: (lines) => `… and ${lines} more ${lines === 1 ? "line" : "lines"}`,
  sampleContent: "Written by the demo model.\n",
};

const CHINESE: DemoWords = {
  notice:
    "_我是演示模型：只按一个小脚本回答，能听懂的请求很少。想用真正的模型，请在网页上选择提供商（“设置”页），或运行 `factotum setup`。_",
  help: "你好！我可以演示助手怎样使用工具，试试这些：\n\n- “列出文件”\n- “读取 AGENTS.md”\n- “创建文件 hello.txt，内容：你好，世界”\n- “运行 echo hello”",
  nothingSaid: "现在还没有需要我回答的内容。",
  announce(wish, subject) {
    if (wish === "list") return `这里是演示模型，我来看看${subject === "." ? "工作区" : ` \`${subject}\` `}里有什么。`;
    if (wish === "read") return `这里是演示模型，我来打开 \`${subject}\`。`;
    if (wish === "write") return `这里是演示模型，我来写 \`${subject}\`。`;
    return `这里是演示模型，我来运行 \`${subject}\`。`;
  },
  missing: (tool) => `这需要工具 \`${tool}\`，但本次对话里没有它。`,
  listed: (count) => `共有 ${count} 项：`,
  emptyFolder: "这个文件夹是空的。",
  wasRead: (path) => `\`${path}\` 的内容：`,
  wasWritten: (result) => `完成。工具返回：${result}`,
  ran: "命令的输出：",
  failed: (result) => `没有成功。工具返回：\n\n${result}`,
  other: (tool) => `工具 \`${tool}\` 返回：`,
  more: (lines) => `……还有 ${lines} 行`,
  sampleContent: "由演示模型写入。\n",
};

/** The texts in the conversation's language. */
export function demoWords(language: "english" | "chinese"): DemoWords {
  return language === "chinese" ? CHINESE : ENGLISH;
}

/** What the demo model says about itself, in every language. */
export const DEMO_NOTICES: readonly string[] = [ENGLISH.notice, CHINESE.notice];
