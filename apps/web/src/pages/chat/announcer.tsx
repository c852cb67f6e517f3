import { useEffect, useRef, useState } from "react";
import type { ChatState } from "../../chat/chat-state.ts";
import { plainText } from "../../markdown/plain-text.ts";
import { t } from "../../i18n/t.ts";
import { noticeWords } from "./notice-words.ts";

/** Characters of an answer that are announced: nobody listens to more, and the conversation has the rest. */
const MAX_LENGTH = 4000;

/** Announces events to screen readers: that work started, and each answer once, when it is complete. */
export function Announcer({ chat }: { readonly chat: ChatState }): React.JSX.Element {
  const [words, setWords] = useState("");
  const heard = useRef({ sessionKey: chat.sessionKey, lastId: chat.entries.at(-1)?.id, runId: chat.live?.runId });
  useEffect(() => {
    const before = heard.current;
    const last = chat.entries.at(-1);
    heard.current = { sessionKey: chat.sessionKey, lastId: last?.id, runId: chat.live?.runId };
    if (before.sessionKey !== chat.sessionKey) setWords("");
    else if (last !== undefined && last.id !== before.lastId && last.type === "assistant" && last.text !== "")
      setWords(t("Assistant: {words}", { words: wordsOf(last.text) }));
    else if (last !== undefined && last.id !== before.lastId && last.type === "notice") setWords(noticeWords(last));
    else if (chat.live !== undefined && chat.live.runId !== before.runId) setWords(t("The assistant is working."));
  }, [chat]);
  return (
    <output className="sr-only" aria-live="polite">
      {words}
    </output>
  );
}

function wordsOf(answer: string): string {
  return answer.length <= MAX_LENGTH
    ? plainText(answer)
    : t("{beginning}… The answer goes on.", { beginning: plainText(answer.slice(0, MAX_LENGTH)) });
}
