import { t } from "../i18n/t.ts";

/**
 * Loads the program of a page. The router reloads everything if that fails, since a new version of the page may have taken its place. Without the gateway this would
 * end in an error page of the browser, so such a failure becomes another error, which the page shows.
 */
export function pageProgram<Program>(load: () => Promise<Program>): () => Promise<Program> {
  return async () => {
    try {
      return await load();
    } catch (error) {
      if (await isGatewayThere()) throw error;
      throw new Error(t("The gateway cannot be reached."), { cause: error });
    }
  };
}

async function isGatewayThere(): Promise<boolean> {
  try {
    await fetch(document.baseURI, { method: "HEAD", cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}
