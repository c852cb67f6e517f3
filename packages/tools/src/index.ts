export { createCoreTools } from "./create-core-tools.ts";
export type { CoreToolsOptions } from "./create-core-tools.ts";
export { boundFiles } from "./commands/bound-files.ts";
export type { BoundFile, BoundFiles, SearchOptions } from "./commands/bound-files.ts";
export { isRunner } from "./commands/runner-programs.ts";
export { createExecTool } from "./commands/exec-tool.ts";
export type { ExecToolOptions } from "./commands/exec-tool.ts";
export { createApplyPatchTool } from "./patch/apply-patch-tool.ts";
export { createEditTool } from "./files/edit-tool.ts";
export { readEditable as readTextFile } from "./files/read-editable.ts";
export { createLsTool } from "./files/ls-tool.ts";
export { createReadTool } from "./files/read-tool.ts";
export type { ReadToolOptions } from "./files/read-tool.ts";
export { createPdfReader } from "./pdf/read-pdf.ts";
export type { PdfReader, PdfReaderOptions, PdfResult } from "./pdf/read-pdf.ts";
export type { PdfAnswer, PdfJob, PdfPage } from "./pdf/pdf-job.ts";
export { createWriteTool } from "./files/write-tool.ts";
export { createMessageTool } from "./messages/message-tool.ts";
export { createFindTool } from "./search/find-tool.ts";
export { createGrepTool } from "./search/grep-tool.ts";
export type { GrepToolOptions } from "./search/grep-tool.ts";
export { createRipgrep } from "./search/ripgrep.ts";
export type { RipgrepOptions } from "./search/ripgrep.ts";
export type { TextFinder, TextQuery } from "./search/text-finder.ts";
export { createPublicFetch } from "./public-fetch/fetch-public-file.ts";
export type { PublicFetchRequest, PublicFile } from "./public-fetch/fetch-public-file.ts";
export { createPublicRequester } from "./public-fetch/public-request.ts";
export type {
  PublicRequest,
  PublicRequester,
  PublicRequestOptions,
  PublicResponse,
  RequestRefused,
  ResponseHead,
} from "./public-fetch/public-request.ts";
export { PageReader } from "./web/page/page-reader.ts";
export type { PageReaderOptions, PageReading, PageSource } from "./web/page/page-reader.ts";
export { SEARCH_PROVIDERS } from "./web/search/search-providers.ts";
export type { SearchProvider } from "./web/search/search-provider.ts";
export type { SearchKey, SearchProviderName, SearchSettings } from "./web/search/search-settings.ts";
export type { WebAccess } from "./web/web-access.ts";
export { createMemoryTools } from "./memory/memory-tools.ts";
export type { MemoryToolsOptions } from "./memory/memory-tools.ts";
export { createMediaTools } from "./media/create-media-tools.ts";
export type { MediaToolsOptions } from "./media/media-tools-options.ts";
export { createBrowserTool } from "./browser/browser-tool.ts";
export type { BrowserToolOptions } from "./browser/browser-tool.ts";
export { BrowserKeeper } from "./browser/browser-keeper.ts";
export type { BrowserKeeperOptions } from "./browser/browser-keeper.ts";
export type { BrowserDownload } from "./browser/browser-job.ts";
export type { BrowserSettings } from "./browser/browser-settings.ts";
export { parseAllowedPlaces } from "./forward-proxy/allowed-places.ts";
export type { AllowedPlaces } from "./forward-proxy/allowed-places.ts";
export { startForwardProxy } from "./forward-proxy/forward-proxy.ts";
export type { ForwardProxy, ForwardProxyOptions, RefusedRequest } from "./forward-proxy/forward-proxy.ts";
export { defineTool } from "./define-tool/define-tool.ts";
export type { ToolDefinition } from "./define-tool/define-tool.ts";
export { createFileAccess } from "./file-access/create-file-access.ts";
export { anchorOf } from "./file-access/opened-path.ts";
export type { FileAccess, RunFiles } from "./file-access/create-file-access.ts";
export type { ChangeOptions, FileChange } from "./file-access/plan-changes.ts";
export { isWithin } from "./file-access/grants.ts";
export type { FileAccessOptions, FileRoot } from "./file-access/grants.ts";
export { FileAccessError, systemCode } from "./file-access/file-access-error.ts";
export type { FileAccessErrorCode } from "./file-access/file-access-error.ts";
export type { FileVersion, OpenFile } from "./file-access/open-file.ts";
export type { OpenFolder } from "./file-access/open-folder.ts";
export { JobFieldsError, parseJob, parseJobChange } from "./jobs/job-fields.ts";
export type { JobFields } from "./jobs/job-fields.ts";
export { describeJob, describeRun, formatTime } from "./jobs/describe-job.ts";
