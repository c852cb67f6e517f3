/**
 * A thread that reads web pages, so that neither the work nor a hostile page's effect on a parser reaches the gateway. Started when a page must be read, ended
 * soon after, or at once when a page takes too long or too much memory.
 */
import { parentPort } from "node:worker_threads";
import { decodeText } from "./decode-text.ts";
import type { PageJob, PageMessage } from "./page-job.ts";
import { plainText } from "./plain-text.ts";
import { readArticle } from "./read-article.ts";
import { readDuckDuckGo } from "./read-duckduckgo.ts";

const post = (message: PageMessage): void => parentPort?.postMessage(message);

parentPort?.on("message", (job: PageJob) => post(work(job)));
post({ type: "ready" });

function work(job: PageJob): PageMessage {
  try {
    const html = decodeText(job.bytes, job.contentType);
    switch (job.type) {
      case "article":
        return { type: "page", page: readArticle(html, job) };
      case "plain":
        return { type: "page", page: plainText(html) };
      case "duckduckgo":
        return { type: "search-page", searchPage: readDuckDuckGo(html) };
    }
  } catch (error) {
    return { type: "failed", message: error instanceof Error ? error.message : "the page could not be read" };
  }
}
