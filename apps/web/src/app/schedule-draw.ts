/** A hidden page gets no animation frames; it is drawn this late, so that its title says what has come. */
const HIDDEN_MS = 250;

/** Calls `notify` with the next frame, or soon if the page is hidden and draws no frames. */
export function scheduleDraw(page: Pick<Window, "requestAnimationFrame" | "setTimeout">, notify: () => void): void {
  let isDue = true;
  const once = (): void => {
    if (!isDue) return;
    isDue = false;
    notify();
  };
  page.requestAnimationFrame(once);
  page.setTimeout(once, HIDDEN_MS);
}
