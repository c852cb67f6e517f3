/** Messages in the conversation that is loaded during an answer. */
export const LOADED_MESSAGES = 600;
/** Messages in the conversation that is opened. */
export const OPENED_MESSAGES = 10_000;

/** A conversation as `sessions import` takes it: questions and answers, with Markdown in each. */
export function longConversation(count: number): string {
  const timestamp = new Date().toISOString();
  const messages = Array.from({ length: count }, (_, index) => {
    const number = Math.floor(index / 2) + 1;
    const text =
      index % 2 === 0
        ? `Question ${number}: what about the kettle?`
        : `## Answer ${number}\n\nThe **kettle** is on the *stove*, see \`notes.md\`.\n\n- first it is filled\n- then it is heated\n\n\`\`\`ts\nconst kettle = { full: true, number: ${number} };\n\`\`\`\n\nThat is all of answer ${number}.`;
    const content = [{ type: "text", text }];
    const message = index % 2 === 0 ? { role: "user", content } : { role: "assistant", content, stopReason: "stop" };
    return { type: "message", id: `m${index}`, parentId: index === 0 ? null : `m${index - 1}`, timestamp, message };
  });
  return [{ type: "session", version: 3, id: "long", timestamp }, ...messages].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Paragraphs, lists and a little code, as most answers are. */
export function mixedAnswer(tokens: number): string {
  const part = (index: number): string =>
    `Paragraph ${index} says **one** thing and \`another\`, at about the length that paragraphs have when somebody explains how something works.\n\n` +
    `- a point of it\n- and another, with [a link](https://example.org/${index})\n\n\`\`\`ts\ninterface Part${index} {\n  [key: string]: unknown;\n}\n\`\`\`\n\n`;
  return Array.from({ length: Math.ceil((tokens * 4) / part(0).length) }, (_, index) => part(index)).join("");
}

/** One block of code. */
export function codeAnswer(lines: number): string {
  const code = Array.from({ length: lines }, (_, index) => `  const value${index} = compute(${index}, "word"); // step\n`).join("");
  return `Here it is:\n\n\`\`\`ts\n${code}\`\`\`\n\nThat was all.`;
}
