import type { AnthropicReply } from "../anthropic/reply.ts";
import { callTools, type MessageReply, sayText } from "../strict/scripted-reply.ts";
import { toAnthropicReply } from "../strict/start-strict-server.ts";

/** A whole conversation with tools from the model's side, and the expected results. */
export interface CreateScriptConversation {
  /** The skill that the model reads first. */
  readonly skillPath: string;
  /** The folder that it lists. */
  readonly listedPath: string;
  /** The file that it writes, relative to the workspace. */
  readonly scriptPath: string;
  /** Its content: prints every file below the working directory, one relative path per line, and skips `.git`. */
  readonly scriptSource: string;
  /** The final answer. */
  readonly answer: string;
  /** Four replies: read, ls, write, the answer. Tool arguments are named `path` and `content`. */
  readonly replies: readonly AnthropicReply[];
  /** The same for a server of any wire format. */
  readonly neutralReplies: readonly MessageReply[];
}

const skillPath = "./skills/create-python-script/SKILL.md";
const scriptPath = "list_files.py";
const scriptSource = `#!/usr/bin/env python3
"""列出此处及各级子文件夹中的文件，一行一个。"""

from pathlib import Path

SKIPPED = {".git"}  # 版本库的内部数据，不列


def list_files(folder):
    """先给出本层的文件，再逐个进入子文件夹。"""
    entries = sorted(folder.iterdir())
    for entry in entries:
        if entry.is_file():
            yield entry
    for entry in entries:
        # 符号链接不跟进，以免绕圈
        if entry.is_dir() and not entry.is_symlink() and entry.name not in SKIPPED:
            yield from list_files(entry)


if __name__ == "__main__":
    for file in list_files(Path(".")):
        print(file.as_posix())
`;
const answer = `脚本写好了，文件名是 \`${scriptPath}\`：从你所在的文件夹开始逐层列出文件，每行一个相对路径，\`.git\` 不会出现在结果里。

在终端里这样用：

\`\`\`bash
python3 ${scriptPath}
\`\`\``;

const neutralReplies: readonly MessageReply[] = [
  callTools({ name: "read", arguments: { path: skillPath } }),
  callTools({ name: "ls", arguments: { path: "." } }),
  callTools({ name: "write", arguments: { path: scriptPath, content: scriptSource } }),
  sayText(answer),
];

/** The user of a chat asks for a small Python script; the agent follows a skill and writes it. */
export const createScriptConversation: CreateScriptConversation = {
  skillPath,
  listedPath: ".",
  scriptPath,
  scriptSource,
  answer,
  replies: neutralReplies.map(toAnthropicReply),
  neutralReplies,
};
