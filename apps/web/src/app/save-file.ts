/** Saves a file as a download. */
export function saveFile(name: string, text: string, page: Document): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = page.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
