/** Requests the style sheets again that could not be loaded: the bundler requests each only once. Resolves when they came or failed. */
export async function loadStylesAgain(document: Document): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].filter(hasFailed);
  await Promise.all(links.map(loadAgain));
}

/** The rules of a sheet from the gateway can be read, unless it did not come. */
function hasFailed({ sheet }: HTMLLinkElement): boolean {
  try {
    return (sheet?.cssRules.length ?? 0) === 0;
  } catch (error) {
    if (error instanceof DOMException && error.name === "SecurityError") return true;
    throw error;
  }
}

async function loadAgain(link: HTMLLinkElement): Promise<void> {
  const copy = link.cloneNode();
  const ended = new Promise<void>((resolve) => {
    for (const event of ["load", "error"]) copy.addEventListener(event, () => resolve(), { once: true });
  });
  link.replaceWith(copy);
  await ended;
}
