/** Saves a file as a download. */
export function saveFile(name: string, content: string | Blob, page: Document): void {
  // Nothing that a browser would show in place of the page.
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = page.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
