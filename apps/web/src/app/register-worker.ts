/**
 * Stores the program in this browser, so that the page opens while the gateway cannot be reached. Without HTTPS, except on this machine, browsers offer no workers;
 * then the page works as before.
 */
export async function registerWorker(page: Pick<Window, "document" | "navigator">): Promise<void> {
  // Absent without a secure connection, whatever the types say.
  const workers: ServiceWorkerContainer | undefined = page.navigator.serviceWorker;
  if (workers === undefined || !import.meta.env.PROD) return;
  try {
    await workers.register(new URL("sw.js", page.document.baseURI), { updateViaCache: "none" });
  } catch (error) {
    // A browser that stores nothing, or a gateway that went away meanwhile: only opening the page offline is lost, and the next visit tries again.
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
  }
}
